package io.sparklance.dataset.compaction

import io.sparklance.table.Fragment

/** A rewritten group.
  *
  * @param old
  *   its fragments at the time of reading
  */
final private[sparklance] case class RewrittenGroup(old: Vector[Fragment], files: Vector[RewrittenFile])
