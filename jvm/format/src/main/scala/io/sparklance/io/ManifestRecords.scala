package io.sparklance.io

/** A database that records the manifest of each version of a table, and lets exactly one of several writers
  * add a record. It makes commits safe in stores without put-if-absent.
  *
  * Users may provide an implementation (option `commitHandler`) with a public constructor like a
  * [[CommitHandler]]'s. [[latest]] and [[add]] are enough. A failure of the database is an `IOException`.
  */
trait ManifestRecords {

  /** Returns the record of a table's highest version. Reads are consistent: they see every acknowledged
    * write.
    *
    * @param table
    *   path of the table's root, with the bucket or host in front
    */
  def latest(table: String): Option[ManifestRecord]

  /** Adds a record. Returns false if one of that version exists. */
  def add(table: String, record: ManifestRecord): Boolean

  /** Replaces the existing record of that version. Without it, readers look for the staged manifest first. */
  def replace(table: String, record: ManifestRecord): Unit = ()

  /** Removes a record if it is still the same. Called if a table was dropped and recreated during a commit.
    */
  def remove(table: String, record: ManifestRecord): Unit =
    throw new UnsupportedOperationException(
      s"${getClass.getName} cannot remove the record of version ${record.version} of $table; remove it by hand"
    )
}
