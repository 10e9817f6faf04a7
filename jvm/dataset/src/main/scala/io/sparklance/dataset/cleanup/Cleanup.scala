package io.sparklance.dataset.cleanup

import java.time.{Duration, Instant}
import java.util.UUID

import scala.collection.mutable

import io.sparklance.LanceUsageException
import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.io.{StorePath, WholeFile}
import io.sparklance.table.commit.SameTable
import io.sparklance.table.index.IndexSegments
import io.sparklance.table.refs.{Refs, Tag, VersionRefs}
import io.sparklance.table.{ManifestFile, StoredVersion, Versions}

/** Removes old versions of a table, and the files that only these refer to, and what failed writes have left.
  *
  * A file of which some version that stays speaks is never removed: one of the table's history, of a detached
  * version, or of a branch. A file of which only versions speak that go is removed at once, for no write that
  * is under way can have made it. One of which none speaks may be a write's that is not committed yet, and
  * waits until it is seven days old.
  *
  * Manifests go first, oldest first, so that a version that can be seen can be read, and what remains when
  * this ends early is a table whose leftovers the next clean-up finds. Before the first other file goes,
  * versions that came meanwhile are read: one may have brought back what an old one had.
  *
  * @param spared
  *   names of further files to keep, such as those that a known clone of the table uses
  */
final private[sparklance] class Cleanup(
    snapshot: Snapshot,
    policy: CleanupPolicy,
    spared: Set[String] = Set.empty
) {
  import Cleanup._

  private val store = snapshot.store
  private val root = snapshot.root
  private val refs = new Refs(store, root, snapshot.manifest.branch)
  private val own = new VersionSurvey(store, root)
  private val sameTable = new SameTable(store, new Versions(store, root), root)
  private val kept = new FileReferences
  private val expired = new FileReferences
  private val seen = mutable.Set.empty[String]

  /** Returns the plan of the current state. */
  def plan(): CleanupPlan = plan(Clocks(Instant.now(), Instant.now()))

  /** Removes it, and tags whose time is over. */
  def run(): CleanupResult = {
    refs.tags.all.foreach { case (name, tag) =>
      if (tag.branch == refs.branch && !isInForce(tag)) { val _ = refs.tags.delete(name) }
    }
    val planned = plan(clocks())
    val gone = planned.versions.grouped(AtATime).toVector.flatMap { group =>
      val _ = sameTable.check(snapshot.manifest, "clean-up")
      removed(group)
    }
    planned.versions.diff(gone).flatMap(own.read).foreach(kept.add)
    keepNewcomers()
    val files = new Removal(store, root).remove(planned.files.filterNot(isKept))
    files.copy(
      bytesRemoved = files.bytesRemoved + gone.flatMap(_.size).sum,
      oldVersions = gone.size
    )
  }

  /** Removes manifests, but for those that a tag or a branch names by now, and puts back those that one names
    * as soon as they are gone: who makes such a reference looks afterwards whether the version is still
    * there. Returns the versions that are gone.
    */
  private def removed(group: Vector[ManifestFile]): Vector[ManifestFile] = {
    val before = named()
    val contents = group.filterNot(v => before(v.version)).map(v => v -> bytesOf(v))
    contents.foreach { case (version, _) => store.delete(version.path) }
    val after = named()
    val (back, gone) = contents.partition { case (version, bytes) =>
      bytes.nonEmpty && after(version.version)
    }
    for ((version, bytes) <- back; content <- bytes) store.put(version.path, content)
    gone.map(_._1)
  }

  /** Returns a manifest, if it is there and of a usual size. */
  private def bytesOf(version: ManifestFile): Option[Array[Byte]] =
    WholeFile.ifExists(store, version.path)(file => Option.when(file.size <= MostKept)(WholeFile.bytes(file)))
      .flatten

  private def plan(clocks: Clocks): CleanupPlan = {
    val old = surveyHistory(clocks.versions)
    keepNewcomers()
    val keeping = protecting(old)
    val (safe, gone) = old.partition(v => keeping.versions(v.version))
    safe.flatMap(own.read).foreach(kept.add)
    CleanupPlan(gone, removable(clocks.files.minus(UnverifiedAge)), keeping)
  }

  /** Reads the whole history, and says which versions would go if it were for their age and number alone. */
  private def surveyHistory(now: Instant): Vector[ManifestFile] = {
    val files = own.attached()
    val expires = policy.expires(files.map(_.version), now)
    files.filter { file =>
      seen += file.path
      own.read(file).exists { stored =>
        val goes = file != files.last && expires(file.version, stored.manifest.timestamp)
        (if (goes) expired else kept).add(stored)
        goes
      }
    }
  }

  /** Reads the versions that were not read yet, all of which stay. */
  private def keepNewcomers(): Unit = {
    val branches = branchRoots().map(new VersionSurvey(store, _))
    val all = (own.attached() ++ own.detached()).map(own -> _) ++
      branches.flatMap(branch => (branch.attached() ++ branch.detached()).map(branch -> _))
    all.filter { case (_, file) => seen.add(file.path) }.foreach { case (survey, file) =>
      survey.read(file).foreach(kept.add)
    }
  }

  /** Returns the roots of all other branches, including unfinished ones. */
  private def branchRoots(): Vector[String] = BranchRoots.all(store, refs).filterNot(_ == root)

  /** Returns the tags of old versions, and the branches that begin at them. */
  private def protecting(old: Vector[ManifestFile]): VersionRefs = {
    val named = VersionRefs.of(refs, isInForce).of(old.map(_.version).toSet)
    if (policy.errorIfTagged && named.tags.nonEmpty) throw tags(named.tags)
    named
  }

  /** Returns the versions with tags, and those at which branches begin. */
  private def named(): Set[Long] = VersionRefs.of(refs, isInForce).versions

  private def isInForce(tag: Tag): Boolean = !tag.isExpired(Instant.now())

  private def removable(since: Instant): Vector[TableFile] = {
    val found = Vector.newBuilder[TableFile]
    TableFile.directories.foreach { directory =>
      store.walk(StorePath.join(root, directory)) { entry =>
        found ++= TableFile.of(directory, entry).filter(file => !isKept(file) && isSettled(file, since))
      }
    }
    found.result()
  }

  private def isKept(file: TableFile): Boolean =
    file.owner.exists(owner => kept.contains(owner) || spared(owner))

  /** Whether no write that is under way can have made the file. */
  private def isSettled(file: TableFile, since: Instant): Boolean = policy.deleteUnverified ||
    file.owner.exists(expired.contains) || Instant.ofEpochMilli(file.modifiedMillis).isBefore(since)

  /** The store may have another clock than we do. Whichever is behind says how old versions are, and its own
    * how old files.
    */
  private def clocks(): Clocks = {
    val (directory, name) = (StorePath.join(root, "_versions"), s".tmp_clock_${UUID.randomUUID()}")
    val path = StorePath.join(directory, name)
    store.put(path, Array.emptyByteArray)
    val dated =
      try store.list(directory).find(_.name == name)
      finally store.delete(path)
    val time = dated.fold(Instant.EPOCH)(entry => Instant.ofEpochMilli(entry.modifiedMillis))
    val now = Instant.now()
    // Some stores know no parts of a second.
    Clocks(if (time.plusSeconds(1).isBefore(now)) time else now, time)
  }

  private def tags(named: Vector[(String, Long)]) = new LanceUsageException(
    s"Versions of the table at $root that would be removed have tags: " +
      s"${named.map { case (name, version) => s"'$name' (version $version)" }.mkString(", ")}. Delete " +
      "these tags, or set error_if_tagged_old_versions to false, which keeps these versions."
  )
}

private object Cleanup {

  /** Age from which files without a version count as leftovers. */
  private val UnverifiedAge = Duration.ofDays(7)

  /** Number of manifests deleted between checks that the table is the same. Their names are numbers, so a
    * table that replaced a dropped one has manifests of the same names.
    */
  private val AtATime = 20

  /** Bytes of the largest manifest that is kept until it is known that nothing names it. */
  private val MostKept = 4L << 20
}

/** Times before which versions and files are old.
  *
  * @param versions
  *   to which the age of versions is counted
  * @param files
  *   to which that of files is
  */
final private case class Clocks(versions: Instant, files: Instant)

/** The files that versions refer to, by the last part of their path, and indices by uuid. These names are
  * unique, so the base through which a version refers to a file does not matter.
  */
final private[cleanup] class FileReferences {
  private val names = mutable.HashSet.empty[String]

  def add(version: StoredVersion): Unit = {
    version.manifest.fragments.foreach { fragment =>
      fragment.message.files.foreach(file => names += FileReferences.last(file.path))
      fragment.deletionFile.foreach(file => names += file.fileName(fragment.id))
    }
    names += FileReferences.last(version.manifest.message.transactionFile)
    version.indexSection.foreach(section => names ++= IndexSegments.of(section).map(_.uuid))
  }

  def contains(name: String): Boolean = names(name)
}

private[cleanup] object FileReferences {
  def last(path: String): String = path.substring(path.lastIndexOf('/') + 1)
}

/** The versions and files that a clean-up removes.
  *
  * @param versions
  *   versions, oldest first
  * @param keeping
  *   tags and branches for which versions stay that would go by their age and number
  */
final private[sparklance] case class CleanupPlan private[cleanup] (
    versions: Vector[ManifestFile],
    files: Vector[TableFile],
    keeping: VersionRefs
) {

  /** Returns the result of a complete removal. */
  def result: CleanupResult = {
    val files = CleanupResult.of(this.files)
    files.copy(bytesRemoved = files.bytesRemoved + versions.flatMap(_.size).sum, oldVersions = versions.size)
  }
}
