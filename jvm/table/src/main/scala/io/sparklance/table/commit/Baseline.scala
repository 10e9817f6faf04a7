package io.sparklance.table.commit

import io.sparklance.table.{Manifest, VersionIdentity}

/** A version that a transaction goes together with, all older ones included: at first the one that it was
  * begun at.
  *
  * @param identity
  *   tells the version from that of a table created at the same place; None if only its number is known
  * @param manifest
  *   if it was read
  */
final private[sparklance] case class Baseline(
    version: Long,
    identity: Option[VersionIdentity],
    manifest: Option[Manifest]
)

private[sparklance] object Baseline {

  /** A version that was read. */
  def of(manifest: Manifest): Baseline =
    Baseline(manifest.version, Some(VersionIdentity.of(manifest)), Some(manifest))

  /** A version of which only the number is known, as foreign software tells it. */
  def numbered(version: Long): Baseline = Baseline(version, None, None)
}
