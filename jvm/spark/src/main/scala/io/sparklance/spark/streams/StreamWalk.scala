package io.sparklance.spark.streams

/** Finds the end of a batch: walks over units until a limit is reached. */
final private[streams] class StreamWalk(admission: Admission) {
  private var total = StreamUnit.none

  /** Everything that the batch has so far. */
  def sum: StreamUnit = total

  /** Returns the offset at which a batch ends, without an identity.
    *
    * @param snapshot
    *   units of a version's rows
    * @param changes
    *   units of a version's changes
    * @param versions
    *   versions after that of the offset
    */
  def from(start: LanceOffset, end: Long)(
      snapshot: Long => Vector[StreamUnit],
      changes: Long => Vector[StreamUnit],
      versions: Vector[Long]
  ): LanceOffset = {
    var at = start.index.fold(start) { index =>
      val units = if (start.isSnapshot) snapshot(start.version) else changes(start.version)
      take(start.copy(index = None), units, index)
    }
    val rest = versions.iterator.filter(_ <= end)
    var isFull = false
    while (!isFull && at.index.isEmpty && rest.hasNext) {
      val version = rest.next()
      val next = LanceOffset(version, None, isSnapshot = false, identity = "")
      val taken = take(next, changes(version), 0)
      // A version of which nothing is taken belongs to the next batch.
      if (taken.index.contains(0)) isFull = true else at = taken
    }
    at
  }

  /** Takes units of a version from a position on. Returns the offset after them. */
  private def take(whole: LanceOffset, units: Vector[StreamUnit], from: Int): LanceOffset = {
    var next = from
    while (next < units.size && admission.admits(total, units(next))) {
      total += units(next)
      next += 1
    }
    if (next >= units.size) whole else whole.copy(index = Some(next))
  }
}
