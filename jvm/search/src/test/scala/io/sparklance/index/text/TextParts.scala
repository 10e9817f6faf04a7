package io.sparklance.index.text

import io.sparklance.dataset.snapshot.Snapshot

/** Access to the cached parts of full-text indices, for tests outside of the package. */
object TextParts {
  def clear(): Unit = TextPartition.clear()

  /** Whether all full-text indices of a table have the positions of words. */
  def hasPositions(snapshot: Snapshot): Boolean =
    TextSegment.all(snapshot).forall(TextIndex.open(snapshot.store, _).parameters.withPosition)
}
