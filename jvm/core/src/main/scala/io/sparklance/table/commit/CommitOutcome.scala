package io.sparklance.table.commit

import io.sparklance.table.Manifest

/** How a commit that did not fail has ended. */
sealed trait CommitOutcome {

  /** The version in which the change is. */
  def version: Long
}

object CommitOutcome {

  /** @param attempts how many manifests were put until one stood */
  final case class Committed(manifest: Manifest, attempts: Int) extends CommitOutcome {
    def version: Long = manifest.version
  }

  /** The batch was committed before, with this version; there was nothing to do. */
  final case class Repeated(version: Long) extends CommitOutcome
}
