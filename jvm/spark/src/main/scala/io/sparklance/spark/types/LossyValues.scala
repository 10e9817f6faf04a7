package io.sparklance.spark.types

/** Treatment of stored values that the column's Spark type cannot hold exactly: times finer than a
  * microsecond, dates with a time of day, decimals of more than 38 digits.
  */
sealed abstract private[sparklance] class LossyValues(val name: String) extends Serializable

private[sparklance] object LossyValues {

  /** An error that names the column and the row. */
  case object Fail extends LossyValues("error")

  /** Always an error, because the values will be written again. */
  case object Refuse extends LossyValues("error")

  /** Truncates excess precision, towards the past or, for decimals, towards zero. */
  case object Truncate extends LossyValues("truncate")

  /** Columns of such types are shown as stored: integers as BIGINT, decimals as their text. */
  case object Raw extends LossyValues("raw")

  private val chosen: Vector[LossyValues] = Vector(Fail, Truncate, Raw)

  def parse(text: String): LossyValues = chosen
    .find(_.name.equalsIgnoreCase(text))
    .getOrElse(throw new IllegalArgumentException(s"it must be one of ${chosen.map(_.name).mkString(", ")}"))
}
