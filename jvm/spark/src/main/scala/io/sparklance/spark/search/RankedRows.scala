package io.sparklance.spark.search

/** The rows that answer a query, in order.
  *
  * @param values
  *   of each added column, parallel to `addresses`; NaN stands for null
  */
final private[search] case class RankedRows(addresses: Array[Long], values: Vector[Array[Float]]) {
  def size: Int = addresses.length
}
