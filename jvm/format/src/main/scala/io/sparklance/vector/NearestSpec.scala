package io.sparklance.vector

/** A search for the nearest vectors of a column.
  *
  * @param queries
  *   fitted to the column; each has an answer of its own
  * @param k
  *   number of rows of an answer, at most
  * @param nans
  *   the place of rows whose distance is NaN, and whether queries may have NaN among their items
  */
final private[sparklance] case class NearestSpec(
    column: VectorColumn,
    metric: Metric,
    queries: Vector[Query],
    k: Int,
    range: DistanceRange = DistanceRange.all,
    nans: NanRank = NanRank.Out
)
