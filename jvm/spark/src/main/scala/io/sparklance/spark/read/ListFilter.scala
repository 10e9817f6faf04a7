package io.sparklance.spark.read

import org.apache.spark.sql.connector.expressions.{Expression, Literal}
import org.apache.spark.sql.types.DataType

/** A filter that Spark evaluates: whether a list has one of some items.
  *
  * @param column
  *   name of the top-level column with the list
  */
final private[spark] case class ListFilter(column: String, values: Vector[Item])

/** A constant item of a list. */
final private[spark] case class Item(value: Any, dataType: DataType) extends Literal[Any] {
  override def children(): Array[Expression] = Array.empty
}
