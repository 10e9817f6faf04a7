package io.sparklance.spark.options

import io.sparklance.vector.{DistanceRange, Metric}

/** A search for nearest vectors, as option `nearest` or a table function describes it.
  *
  * @param metric
  *   the column's default if None
  * @param filter
  *   condition in SQL: the nearest among the rows that pass are wanted
  * @param index
  *   use of the column's vector index; None to search without
  */
final private[spark] case class SearchRequest(
    column: String,
    query: QueryValue,
    k: Int = SearchRequest.DefaultK,
    metric: Option[Metric] = None,
    filter: Option[String] = None,
    range: DistanceRange = DistanceRange.all,
    index: Option[IndexSearchSettings] = Some(IndexSearchSettings())
)

private[spark] object SearchRequest {
  final val DefaultK = 10
}
