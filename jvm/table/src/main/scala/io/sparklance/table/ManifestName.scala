package io.sparklance.table

/** A parsed name of a manifest. */
sealed private[sparklance] trait ManifestName

private[sparklance] object ManifestName {

  /** A version in the table's history. */
  final case class Attached(version: Long, naming: ManifestNaming) extends ManifestName

  /** A version outside of it, reachable by its number only; bit 63 is set. */
  final case class Detached(version: Long) extends ManifestName
}
