package io.sparklance.spark.search

import io.sparklance.dataset.scan.ReadStats
import io.sparklance.vector.Neighbors

/** The answers to all queries of a search.
  *
  * @param compared
  *   number of comparisons of two vectors
  * @param tasks
  *   number of tasks that it took; 0 if the driver searched itself
  * @param probed
  *   number of partitions of an index that were searched
  * @param isRanked
  *   whether each row to search has a distance from each query
  */
final private[search] case class SearchOutcome(
    answers: Vector[Neighbors],
    compared: Long,
    stats: ReadStats,
    tasks: Int,
    probed: Long = 0,
    isRanked: Boolean = false
)
