package io.sparklance.table

import java.io.FileNotFoundException
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using
import scala.util.control.NonFatal

import io.sparklance.io.{FileName, KeptTail, Listing, ObjectStore, ReadableFile, StorePath}
import io.sparklance.{LanceFormatException, LanceTableNotFoundException, Location}

/** The versions of the table at a root: one manifest each. */
final private[sparklance] class Versions(store: ObjectStore, root: String) {

  /** Ascending. Versions are contiguous above the oldest that is kept. */
  def list(): Vector[ManifestFile] =
    named(store.list(settled).map(entry => FileName(entry.name, Some(entry.size))), above = -1)

  /** All versions above `version`, and the latest. Names of the newer scheme come newest first in stores that
    * list by name, so that no more than needed is listed there.
    */
  def since(version: Long): Vector[ManifestFile] = {
    val names = store.names(settled) { name =>
      versionOf(name).exists { case (number, naming) => naming == ManifestNaming.V2 && number <= version }
    }
    val found = named(names, version)
    if (names.size >= Listing.Page) found.lastOption.foreach(refuseHidden)
    found
  }

  /** A version that a listing lacks: one that runs while versions are added may tell a later one and not an
    * earlier.
    *
    * @param naming
    *   of those that are listed
    */
  def unlisted(version: Long, naming: ManifestNaming): Option[ManifestFile] = {
    val file = ManifestFile(version, naming, path(version, naming), None)
    Option.when(store.exists(file.path))(file)
  }

  /** Returns all versions, possibly without sizes, so that [[read]] keeps what it reads. */
  def all(): Vector[ManifestFile] = named(store.names(settled)(_ => false), above = -1)

  def find(version: Long): Option[ManifestFile] = list().find(_.version == version)

  def latest(): Option[ManifestFile] = since(Long.MaxValue).lastOption

  /** The latest version as it is read: if it is cleaned up before that, there is a later one. */
  def readLatest(): Option[(ManifestFile, Manifest)] = latest().map(readOrLater)

  private def readOrLater(file: ManifestFile): (ManifestFile, Manifest) =
    try (file, read(file))
    catch {
      case e: LanceTableNotFoundException =>
        latest().filter(_.version > file.version).fold(throw e)(readOrLater)
    }

  private def settled: String = {
    store.commits.settle(store, directory)
    directory
  }

  /** Versions above one, and the latest. */
  private def named(files: Vector[FileName], above: Long): Vector[ManifestFile] = {
    val found = for (file <- files; (version, naming) <- versionOf(file.name)) yield (version, naming, file)
    val (older, newer) = found.partition(_._2 == ManifestNaming.V1)
    if (older.nonEmpty && newer.nonEmpty) throw bothSchemes(older.map(_._1).max, newer.map(_._1).max)
    val last = found.iterator.map(_._1).maxOption.getOrElse(0L)
    found.collect {
      case (version, naming, file) if version > above || version == last =>
        ManifestFile(version, naming, StorePath.join(directory, file.name), file.size, file.listed)
    }.sortBy(_.version)
  }

  /** Names of the older scheme may come behind all that were listed. Only one of a later version would
    * mislead, and then there is the next one.
    */
  private def refuseHidden(last: ManifestFile): Unit = (store.listing(directory), last.naming) match {
    case (Listing.Ordered, ManifestNaming.V2) if store.exists(path(last.version + 1, ManifestNaming.V1)) =>
      throw bothSchemes(last.version + 1, last.version)
    case _ => ()
  }

  private def versionOf(name: String): Option[(Long, ManifestNaming)] =
    ManifestNaming.parse(name).collect { case ManifestName.Attached(version, naming) => (version, naming) }

  private def bothSchemes(older: Long, newer: Long) = new LanceFormatException(
    s"manifests are named by both schemes, the last of the older one is version $older, of the newer version $newer, so the " +
      "latest version is not certain; a migration of their names was probably interrupted: CALL lance.system.migrate_manifest_names, or pylance's " +
      "migrate_manifest_paths_v2(), finishes it",
    Location(file = Some(directory))
  )

  /** Returns the path of a version, existing or not. */
  def path(version: Long, naming: ManifestNaming): String =
    StorePath.join(directory, naming.fileName(version))

  /** The manifest, which is read once by each client of the store while it is the same file. */
  def read(file: ManifestFile): Manifest =
    KeptManifests.of(root, file)(locating(file, listed = true)(whole(file, _)))

  /** The manifest and the index section, if that is among the bytes that were read with the manifest. A
    * damaged section counts as unknown: who needs it reads it again and reports that.
    */
  private def whole(file: ManifestFile, opened: ReadableFile): (Manifest, KeptManifests.KeptSection) = {
    val manifest = ManifestCodec.read(opened)
    checkVersion(manifest.version, file)
    val isNear = manifest.message.indexSection.forall(_ >= opened.size - ManifestCodec.TailSize)
    def section =
      try Some(ManifestCodec.indexSection(opened, manifest))
      catch { case _: LanceFormatException => None }
    (manifest, if (isNear) section else None)
  }

  /** All that a next version is built from, and what other writers ask of this one. */
  def readWhole(file: ManifestFile): StoredVersion = reading(file) { (opened, manifest) =>
    StoredVersion(
      manifest,
      ManifestCodec.indexSection(opened, manifest),
      ManifestCodec.transaction(opened, manifest)
    )
  }

  /** A hint only, which readers may lack or find stale; who lists by name has no use for it. Whatever goes
    * wrong here must not make a commit that took effect look like a failed one.
    */
  def writeHint(version: Long): Unit =
    try
      store.listing(directory) match {
        case Listing.Whole =>
          store.putExpendable(
            StorePath.join(directory, Versions.hintName),
            s"""{"version":$version}""".getBytes(UTF_8)
          )
        case Listing.Ordered => ()
      }
    catch { case NonFatal(_) => () }

  /** The transaction of a version, without the rest of it. */
  def origin(file: ManifestFile): Origin = locating(file) { opened =>
    val origin = ManifestCodec.origin(opened)
    checkVersion(origin.version, file)
    origin
  }

  /** The identity of a version. */
  def identity(file: ManifestFile): VersionIdentity = locating(file) { opened =>
    val (version, identity) = ManifestCodec.identity(opened)
    checkVersion(version, file)
    identity
  }

  private def directory: String = StorePath.join(root, Versions.directoryName)

  private def reading[A](file: ManifestFile)(body: (ReadableFile, Manifest) => A): A =
    locating(file) { opened =>
      val manifest = ManifestCodec.read(opened)
      checkVersion(manifest.version, file)
      body(opened, manifest)
    }

  /** Opens a manifest without the size from the listing: the name may have been another, dropped table's,
    * whose manifest a client may still have cached.
    */
  private def locating[A](file: ManifestFile, listed: Boolean = false)(body: ReadableFile => A): A =
    LanceFormatException.locating(file.location) {
      def open = file.listed.filter(_ => listed).fold(store.open(file.path))(_.open())
      try Using.resource(open)(opened => body(new KeptTail(opened, ManifestCodec.TailSize)))
      catch { case e: FileNotFoundException => throw removed(file, e) }
    }

  private def checkVersion(said: Long, file: ManifestFile): Unit =
    if (said != file.version)
      throw new LanceFormatException(
        s"the manifest says version ${java.lang.Long.toUnsignedString(said)}, its name ${file.version}"
      )

  private def removed(file: ManifestFile, e: FileNotFoundException) = new LanceTableNotFoundException(
    s"Version ${file.version} of the table at $root was removed while it was opened; read a later version.",
    e
  )
}

private[sparklance] object Versions {
  private[table] val directoryName = "_versions"
  private val hintName = "latest_version_hint.json"
}
