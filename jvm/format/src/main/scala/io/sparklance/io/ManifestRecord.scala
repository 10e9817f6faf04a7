package io.sparklance.io

/** A version's record.
  *
  * @param path
  *   path of the manifest, in the form of the table's: its final or its staged name
  * @param size
  *   size in bytes, if recorded
  */
final case class ManifestRecord(version: Long, path: String, size: Option[Long])
