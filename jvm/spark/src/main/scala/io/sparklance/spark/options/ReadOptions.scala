package io.sparklance.spark.options

import io.sparklance.dataset.Reference
import io.sparklance.dataset.scan.SplitTarget
import io.sparklance.index.search.BrokenIndices
import io.sparklance.io.ReadTuning
import io.sparklance.spark.types.ReadTypeOptions

/** Options of a read.
  *
  * @param reference
  *   the version to read, if given
  * @param indices
  *   whether to use scalar indices, and what to do with broken ones
  * @param range
  *   the range of versions whose changes to read, if not a whole version
  * @param stream
  *   options that only apply to a stream
  * @param approximatesOrder
  *   whether a vector index may answer an order by distance
  */
final private[sparklance] case class ReadOptions(
    reference: Option[Reference],
    batchSize: Int,
    readTypes: ReadTypeOptions,
    split: Option[SplitTarget],
    tuning: ReadTuning,
    pushDownFilters: Boolean,
    indices: Option[BrokenIndices] = Some(BrokenIndices.Fail),
    range: Option[RangeRead] = None,
    stream: StreamOptions = StreamOptions.default,
    approximatesOrder: Boolean = false
)
