package io.sparklance.spark.options

/** The way in which UPDATE and MERGE write changed rows. */
sealed abstract private[sparklance] class UpdateMode(val name: String) extends Product with Serializable

private[sparklance] object UpdateMode {

  /** Writes them as new rows, with all columns. */
  case object Rows extends UpdateMode("rows")

  /** Writes the assigned columns for all rows of each fragment with a change. */
  case object Columns extends UpdateMode("columns")

  /** Takes the way that writes fewer bytes, for each fragment. */
  case object Auto extends UpdateMode("auto")

  private val all = Vector(Auto, Rows, Columns)

  def parse(text: String): UpdateMode = all.find(_.name.equalsIgnoreCase(text)).getOrElse(
    throw new IllegalArgumentException(s"it must be ${all.map(_.name).mkString(", ")}")
  )
}
