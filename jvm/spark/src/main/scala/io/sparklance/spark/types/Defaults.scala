package io.sparklance.spark.types

import org.apache.spark.sql.catalyst.expressions.{Literal => SparkLiteral}
import org.apache.spark.sql.connector.catalog.ColumnDefaultValue
import org.apache.spark.sql.types.DataType

/** DEFAULT of a column, in its metadata as Spark has it there: what INSERT takes if no value is given, and
  * what older rows have. The latter is only kept because Spark wants both: files have the values.
  */
private[spark] object Defaults {
  final val Current = "CURRENT_DEFAULT"
  final val Existing = "EXISTS_DEFAULT"

  def of(default: ColumnDefaultValue): Map[String, String] = {
    val value = default.getValue
    val constant = text(value.value, value.dataType)
    // From Spark 4.1 on, one that a program has made may be no SQL.
    Map(Current -> Option(default.getSql).getOrElse(constant), Existing -> constant)
  }

  /** Fails if a column is to get a default that nobody could use. */
  def check(column: String, default: ColumnDefaultValue): Unit =
    DefaultText.check(column, of(default)(Current))

  /** Another one from now on, or none.
    *
    * @param before
    *   what is said of the column
    */
  def changed(before: Map[String, String], sql: Option[String]): Map[String, Option[String]] = sql match {
    case None => Map(Current -> None, Existing -> None)
    case some => Map(Current -> some, Existing -> before.get(Existing).orElse(Some("NULL")))
  }

  private def text(value: Any, dataType: DataType): String = SparkLiteral(value, dataType).sql
}
