package io.sparklance.index.build

/** Consecutive rows of a fragment.
  *
  * @param start
  *   offset of the first row in the fragment
  * @param length
  *   from the first row to the last, including deleted rows between them
  */
final private[sparklance] case class Zone(fragment: Long, start: Long, length: Long)

/** Collects the live rows of fragments, in the order of their addresses, into zones.
  *
  * @param rowsPerZone
  *   number of live rows of a zone, at most
  * @param newZone
  *   starts the contents of a zone
  * @tparam A
  *   the contents of zones
  */
final private[sparklance] class Zones[A](rowsPerZone: Long, newZone: () => A) {
  private val done = Vector.newBuilder[(Zone, A)]
  private var contents: A = _
  private var rows = 0L
  private var first, last = 0L

  /** Returns the contents of the zone of a row. */
  def at(address: Long): A = {
    if (rows > 0 && (rows == rowsPerZone || address >>> 32 != first >>> 32)) end()
    if (rows == 0) {
      first = address
      contents = newZone()
    }
    rows += 1
    last = address
    contents
  }

  /** Returns the zones that ended since the last call. */
  def ended(): Vector[(Zone, A)] = {
    val all = done.result()
    done.clear()
    all
  }

  /** Ends the open zone. */
  def finish(): Unit = if (rows > 0) end()

  private def end(): Unit = {
    done += Zone(first >>> 32, first & 0xffffffffL, last - first + 1) -> contents
    rows = 0
  }
}
