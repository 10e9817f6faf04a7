package io.sparklance.io

/** Counts of the reads of a task.
  *
  * @param waitNanos
  *   time during which the task waited for bytes
  */
final private[sparklance] case class IoStats(requests: Long, bytes: Long, waitNanos: Long) {
  def +(other: IoStats): IoStats =
    IoStats(requests + other.requests, bytes + other.bytes, waitNanos + other.waitNanos)
}

private[sparklance] object IoStats {
  val none: IoStats = IoStats(0, 0, 0)
}
