package io.sparklance.io

/** A part of the read-ahead budget of a task. Only the task's thread calls this.
  *
  * @param quarters
  *   how much of the task's budget it is
  */
final private[sparklance] class ReadBudget(io: IoClient, quarters: Int) {
  private var held = 0L

  /** Whether bytes are requested before they are needed. */
  def isAhead: Boolean = io.isAhead && quarters > 0

  /** Bytes that may be requested and not decoded yet. Fewer if more tasks read from the store. */
  def size: Long = io.share * quarters / 4

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
  def whole(io: IoClient): ReadBudget = new ReadBudget(io, quarters = 4)
}
