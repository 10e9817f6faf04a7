package io.sparklance.io

/** A share of the read-ahead budget of a task. Only the task's thread calls this.
  *
  * @param size
  *   bytes that may be requested and not decoded yet; 0 if the store is not read ahead
  */
final private[sparklance] class ReadBudget(io: IoClient, val size: Long) {
  private var held = 0L

  /** Remaining bytes. */
  def room: Long = math.min(io.room, size - held)

  /** Charges bytes, or frees them if negative. */
  def hold(bytes: Long): Unit = {
    held += bytes
    io.hold(bytes)
  }
}

private[sparklance] object ReadBudget {

  /** The whole budget of a task. */
  def whole(io: IoClient): ReadBudget = new ReadBudget(io, io.profile.readAhead)
}
