package io.sparklance.index.text

import io.sparklance.dataset.snapshot.Snapshot

/** Access to the cached parts of full-text indices, for tests outside of the package. */
object TextParts {
  def clear(): Unit = TextPartition.clear()

  /** Whether the first index of a table has the positions of words. */
  def hasPositions(snapshot: Snapshot): Boolean = TextSegment.all(snapshot).headOption.exists(segment =>
    TextIndex.open(snapshot.store, segment).parameters.withPosition
  )
}
