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

  /** The open zone's contents. */
  def current: A = contents

  /** Adds rows of one fragment, as many as fit into the open zone, or a new one if it is full or of another
    * fragment. Returns their number.
    *
    * @param from
    *   first of `n` addresses, ascending
    */
  def add(addresses: Array[Long], from: Int, n: Int): Int = {
    val address = addresses(from)
    if (rows > 0 && (rows == rowsPerZone || address >>> 32 != first >>> 32)) end()
    if (rows == 0) {
      first = address
      contents = newZone()
    }
    val added = math.min(n.toLong, rowsPerZone - rows).toInt
    rows += added
    last = addresses(from + added - 1)
    added
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
