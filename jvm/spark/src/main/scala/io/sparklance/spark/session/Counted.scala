package io.sparklance.spark.session

/** Numbers of things in a text. */
private[spark] object Counted {
  def apply(number: Long, thing: String): String = s"$number $thing${if (number == 1) "" else "s"}"
}
