package io.sparklance.spark.search

/** A kind of argument.
  *
  * @param name
  *   name for messages
  */
sealed abstract private[search] class SearchParameterKind(val name: String) {
  def fits(value: Any): Boolean
}

private[search] object SearchParameterKind {
  case object Text extends SearchParameterKind("a STRING") {
    def fits(value: Any): Boolean = value.isInstanceOf[String]
  }

  /** A text, or several. */
  case object Texts extends SearchParameterKind("a STRING, or an array of such") {
    def fits(value: Any): Boolean = value match {
      case items: Vector[_] => items.nonEmpty && items.forall(Text.fits)
      case other => Text.fits(other)
    }
  }

  /** The name of a table or view, or a query as `TABLE(…)`. */
  case object Rows extends SearchParameterKind("the name of a table, or TABLE(…)") {
    def fits(value: Any): Boolean = value.isInstanceOf[String]
  }
  case object Whole extends SearchParameterKind("a whole number") {
    def fits(value: Any): Boolean = value.isInstanceOf[Long]
  }
  case object Number extends SearchParameterKind("a number") {
    def fits(value: Any): Boolean = value.isInstanceOf[Long] || value.isInstanceOf[Double]
  }
  case object Truth extends SearchParameterKind("a BOOLEAN") {
    def fits(value: Any): Boolean = value.isInstanceOf[Boolean]
  }

  /** A vector, or several. */
  case object Vectors extends SearchParameterKind("an array of numbers, or of such arrays") {
    def fits(value: Any): Boolean = value match {
      case items: Vector[_] => items.nonEmpty && items.forall(item => Number.fits(item) || fits(item))
      case _ => false
    }
  }
}
