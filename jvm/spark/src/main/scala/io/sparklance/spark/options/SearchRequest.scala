package io.sparklance.spark.options

import io.sparklance.index.vector.Probes
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
    index: Option[IndexedSearch] = Some(IndexedSearch())
)

/** Parameters of a search by an index.
  *
  * @param refine
  *   multiple of `k` rows to find, whose exact distances decide; estimates decide if None
  * @param isFast
  *   whether to leave out rows that the index does not cover
  */
final private[spark] case class IndexedSearch(
    probes: Probes = Probes(),
    refine: Option[Int] = None,
    isFast: Boolean = false
)

private[spark] object SearchRequest {
  final val DefaultK = 10
}
