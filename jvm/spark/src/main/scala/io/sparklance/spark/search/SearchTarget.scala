package io.sparklance.spark.search

import io.sparklance.dataset.Dataset
import io.sparklance.index.search.BrokenIndices
import io.sparklance.spark.options.ReadOptions
import io.sparklance.spark.session.TableLocation

/** A version of a table to search. */
final private[search] case class SearchTarget(dataset: Dataset, location: TableLocation, read: ReadOptions) {
  def broken: BrokenIndices = read.indices.getOrElse(BrokenIndices.Fail)

  /** The location with the settings of the read. */
  def tuned: TableLocation = location.copy(tuning = read.tuning)
}
