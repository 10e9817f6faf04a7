package io.sparklance.spark.options

import io.sparklance.dataset.changes.RangeRequest

/** A read of what a range of versions has changed.
  *
  * @param versions
  *   None if only a stream can tell: it starts at the latest version
  * @param kind
  *   the rows of the read
  */
final private[sparklance] case class RangeRead(versions: Option[RangeRequest], kind: RangeKind)
