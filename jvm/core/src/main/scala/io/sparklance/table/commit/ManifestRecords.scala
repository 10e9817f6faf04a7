package io.sparklance.table.commit

/** A database that remembers which manifest is a version of a table, and of several writers lets one say so. */
trait ManifestRecords {

  /** That of the highest version; it is as new as the last write that was answered. */
  def latest(table: String): Option[ManifestRecord]

  /** Adds a record; false if there is one of that version. */
  def add(table: String, record: ManifestRecord): Boolean

  /** Replaces the record of that version, which there must be. */
  def replace(table: String, record: ManifestRecord): Unit

  /** Removes a record if it is still the same. */
  def remove(table: String, record: ManifestRecord): Unit
}

/** @param path of the manifest, as the table's bucket has it: either where readers look for it, or staged
  * @param size in bytes, where the record tells
  */
final case class ManifestRecord(version: Long, path: String, size: Option[Long])
