package io.sparklance.table.commit

import java.io.{FileNotFoundException, IOException}
import java.util.UUID

import scala.annotation.tailrec
import scala.util.Using

import io.sparklance.io.{
  CommitHandler,
  LatePutException,
  ManifestRecord,
  ManifestRecords,
  ObjectStore,
  StorePath
}
import io.sparklance.table.ManifestNaming
import io.sparklance.table.StagedManifests._
import io.sparklance.{LanceFormatException, Location}

/** Commits for stores that replace what is there: a database decides who made a version. The steps are the
  * reference's, so that its writers and ours may work on one table.
  *
  * {{{
  * 1  the manifest is written under a name of its own     _versions/<name>.manifest-<uuid>
  * 2  a record of the version is added, if there is none  (table, version) → that path: from here on it is committed
  * 3  it is copied to where readers look for it           _versions/<name>.manifest
  * 4  the record is changed to that path, and the staged file deleted
  * }}}
  *
  * Whoever finds the newest version after step 2 goes on with step 3; until that is done nobody can read it,
  * so nobody builds upon it, and only the newest can be unfinished. That 4 fails does no harm.
  *
  * Records name a table, or a branch of one, by the path of its root.
  *
  * @param hasBuckets
  *   whether these paths begin with the bucket or host; the reference's do not
  */
final private[sparklance] class ExternalManifests(records: ManifestRecords, hasBuckets: Boolean)
    extends CommitHandler {
  import ExternalManifests._

  def commit(store: ObjectStore, path: String, version: Long, manifest: Array[Byte]): Boolean = {
    val suffix = s"-${UUID.randomUUID()}"
    val (staged, size) = (path + suffix, manifest.length.toLong)
    val table = tableOf(directoryOf(path))
    val record = ManifestRecord(version, keyOf(path) + suffix, Some(size))
    store.put(staged, manifest)
    // If the database does not answer, the staged file stays: its record may exist, and then others finish
    // it. A request that the database's client repeats may be refused because its first try took effect.
    val isOurs = added(table, record) || records.latest(table).exists(_.path == record.path)
    if (isOurs) finish(store, staged, path, manifest, version)
    else harmless(store.delete(staged))
    isOurs
  }

  /** The record goes first, for a record without a manifest makes a table unreadable. */
  override def retract(store: ObjectStore, path: String, version: Long): Unit = {
    val table = tableOf(directoryOf(path))
    records.latest(table).filter(_.version == version).foreach(records.remove(table, _))
    store.delete(path)
  }

  def settle(store: ObjectStore, directory: String): Unit = settle(store, directory, None)

  /** Others may meanwhile finish a commit, make the next one, clean up, or drop the table and its records. So
    * a contradiction is the table's fault only if the record is still the same.
    *
    * @param misfit
    *   a record that what there is did not fit
    */
  @tailrec private def settle(store: ObjectStore, directory: String, misfit: Option[ManifestRecord]): Unit = {
    val latest = records.latest(tableOf(directory))
    latest.flatMap(misfitOf(store, directory, _)) match {
      case Some(reason) if latest == misfit => throw reason
      case Some(_) => settle(store, directory, latest)
      case None => ()
    }
  }

  /** Finishes the commit if that is not done yet. Tells why it cannot be. */
  private def misfitOf(
      store: ObjectStore,
      directory: String,
      record: ManifestRecord
  ): Option[LanceFormatException] = {
    val (name, isStaged) = nameIn(record, directory)
    val path = StorePath.join(directory, name)
    val staged = StorePath.join(directory, lastOf(record.path))
    (if (isStaged) contents(store, staged) else None) match {
      case Some(bytes) =>
        val misfit = wrongSize(staged, record, bytes.length.toLong)
        if (misfit.isEmpty) finish(store, staged, path, bytes, record.version)
        misfit
      // Or somebody else was faster.
      case None =>
        sizeOf(store, directory, name, record.version)
          .fold[Option[LanceFormatException]](Some(lost(path, record.version)))(wrongSize(path, record, _))
    }
  }

  private def wrongSize(path: String, record: ManifestRecord, found: Long): Option[LanceFormatException] =
    record.size.filter(_ != found).map { expected =>
      val reason = s"the manifest has $found bytes, but its record says $expected"
      new LanceFormatException(reason, Location(file = Some(path)))
    }

  /** Steps 3 and 4. */
  private def finish(
      store: ObjectStore,
      staged: String,
      path: String,
      manifest: Array[Byte],
      version: Long
  ): Unit = {
    store.put(path, manifest)
    harmless {
      val record = ManifestRecord(version, keyOf(path), Some(manifest.length.toLong))
      records.replace(tableOf(directoryOf(path)), record)
      store.delete(staged)
    }
  }

  private def added(table: String, record: ManifestRecord): Boolean =
    try records.add(table, record)
    catch {
      case e: IOException =>
        throw new LatePutException(
          s"the record of version ${record.version} may not have been added: ${e.getMessage}",
          e
        )
    }

  /** The final name in a record, and whether the record is of a staged file. */
  private def nameIn(record: ManifestRecord, directory: String): (String, Boolean) =
    (record.path.stripSuffix(lastOf(record.path)), lastOf(record.path)) match {
      case (parent, Recorded(name, uuid)) if parent == keyOf(directory) + "/" && isOf(name, record.version) =>
        (name, uuid != null)
      case _ =>
        throw new LanceFormatException(
          s"the record of version ${record.version} of ${tableOf(directory)} names the manifest ${record.path}",
          Location(file = Some(directory))
        )
    }

  /** Returns a path in the form of records. */
  private def keyOf(path: String): String =
    path.replaceFirst(if (hasBuckets) "^[^:/]+://" else "^[^:/]+://[^/]*/", "")

  /** @param directory of its versions */
  private def tableOf(directory: String): String = directoryOf(keyOf(directory))

  /** A table whose manifests were renamed by a migration has records of the old names. */
  private def sizeOf(store: ObjectStore, directory: String, name: String, version: Long): Option[Long] = {
    val names = name +: Seq(ManifestNaming.V1, ManifestNaming.V2).map(_.fileName(version)).filter(_ != name)
    names.iterator.flatMap(each => sizeAt(store, StorePath.join(directory, each))).nextOption()
  }

  private def lost(path: String, version: Long) = new LanceFormatException(
    s"version $version of ${tableOf(directoryOf(path))} is recorded as committed, but its manifest is gone; records of a table that was " +
      "dropped must be deleted, too",
    Location(file = Some(path))
  )
}

private object ExternalManifests {
  private def sizeAt(store: ObjectStore, path: String): Option[Long] =
    try Some(Using.resource(store.open(path))(_.size))
    catch { case _: FileNotFoundException => None }
}
