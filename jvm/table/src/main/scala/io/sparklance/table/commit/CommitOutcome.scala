package io.sparklance.table.commit

import io.sparklance.table.Manifest

/** Result of a commit that did not fail. */
sealed private[sparklance] trait CommitOutcome {

  /** The version that contains the change. */
  def version: Long
}

private[sparklance] object CommitOutcome {

  /** @param attempts
    *   number of manifests that were put until one won
    * @param dropped
    *   names of the indices that an overwrite dropped
    */
  final case class Committed(manifest: Manifest, attempts: Int, dropped: Vector[String] = Vector.empty)
      extends CommitOutcome {
    def version: Long = manifest.version
  }

  /** The batch was already committed by this version; nothing was written. */
  final case class Repeated(version: Long) extends CommitOutcome
}
