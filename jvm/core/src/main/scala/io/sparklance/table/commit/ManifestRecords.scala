package io.sparklance.table.commit

/** A database that records the manifest of each version of a table, and lets exactly one of several writers
  * add a record.
  */
private[sparklance] trait ManifestRecords {

  /** Returns the record of the highest version. Reads are consistent: they see every acknowledged write. */
  def latest(table: String): Option[ManifestRecord]

  /** Adds a record. Returns false if one of that version exists. */
  def add(table: String, record: ManifestRecord): Boolean

  /** Replaces the existing record of that version. */
  def replace(table: String, record: ManifestRecord): Unit

  /** Removes a record if it is still the same. */
  def remove(table: String, record: ManifestRecord): Unit
}

/** @param path
  *   path of the manifest within the table's bucket: its final or its staged name
  * @param size
  *   size in bytes, if recorded
  */
final private[sparklance] case class ManifestRecord(version: Long, path: String, size: Option[Long])
