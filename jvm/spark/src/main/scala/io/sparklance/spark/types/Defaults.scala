package io.sparklance.spark.types

import org.apache.spark.sql.catalyst.expressions.{Literal => SparkLiteral}
import org.apache.spark.sql.connector.catalog.ColumnDefaultValue
import org.apache.spark.sql.types.DataType

/** The DEFAULT of a column, in its metadata in Spark's form: the value for INSERTs that give none, and the
  * value of older rows. Spark requires the latter, but files contain these values.
  */
private[spark] object Defaults {
  final val Current = "CURRENT_DEFAULT"
  final val Existing = "EXISTS_DEFAULT"

  def of(default: ColumnDefaultValue): Map[String, String] = {
    val value = default.getValue
    val constant = text(value.value, value.dataType)
    // From Spark 4.1 on, a default made by a program may have no SQL.
    Map(Current -> Option(default.getSql).getOrElse(constant), Existing -> constant)
  }

  /** Refuses a new default that could never be used. */
  def check(column: String, default: ColumnDefaultValue): Unit =
    DefaultText.check(column, of(default)(Current))

  /** Returns the changes of metadata that set or remove a default.
    *
    * @param before
    *   the column's metadata
    */
  def changed(before: Map[String, String], sql: Option[String]): Map[String, Option[String]] = sql match {
    case None => Map(Current -> None, Existing -> None)
    case some => Map(Current -> some, Existing -> before.get(Existing).orElse(Some("NULL")))
  }

  private def text(value: Any, dataType: DataType): String = SparkLiteral(value, dataType).sql
}
