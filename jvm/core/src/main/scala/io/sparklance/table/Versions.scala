package io.sparklance.table

import java.io.FileNotFoundException
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using
import scala.util.control.NonFatal

import io.sparklance.io.{ObjectStore, ReadableFile, StorePath}
import io.sparklance.{LanceFormatException, LanceTableNotFoundException, Location}

/** A manifest in a table's history, as its name tells. */
final case class VersionFile(version: Long, naming: ManifestNaming, path: String, size: Long)

/** The versions of the table at a root: one manifest each. */
final class Versions(store: ObjectStore, root: String) {

  /** Ascending. Versions are contiguous above the oldest that is kept. */
  def list(): Vector[VersionFile] = {
    val found = store.list(directory).flatMap { entry =>
      ManifestNaming.parse(entry.name).collect { case ManifestName.Attached(version, naming) =>
        VersionFile(version, naming, StorePath.join(directory, entry.name), entry.size)
      }
    }
    if (found.map(_.naming).distinct.size > 1)
      throw new LanceFormatException(
        "manifests are named by both schemes, so the latest version is not certain; " +
          "a migration of their names was probably interrupted: CALL lance.system.migrate_manifest_names, or pylance's " +
          "migrate_manifest_paths_v2(), finishes it",
        Location(file = Some(directory))
      )
    found.sortBy(_.version)
  }

  def find(version: Long): Option[VersionFile] = list().find(_.version == version)

  def latest(): Option[VersionFile] = list().lastOption

  /** Where a version is, or would be. */
  def path(version: Long, naming: ManifestNaming): String =
    StorePath.join(directory, naming.fileName(version))

  def read(file: VersionFile): Manifest = reading(file)((_, manifest) => manifest)

  /** All that a next version is built from, and what other writers ask of this one. */
  def readWhole(file: VersionFile): StoredVersion = reading(file) { (opened, manifest) =>
    StoredVersion(
      manifest,
      ManifestCodec.indexSection(opened, manifest),
      ManifestCodec.transaction(opened, manifest)
    )
  }

  /** A hint only, which readers may lack or find stale. Whatever goes wrong here must not make a commit that took
    * effect look like a failed one.
    */
  def writeHint(version: Long): Unit =
    try store.put(StorePath.join(directory, Versions.hintName), s"""{"version":$version}""".getBytes(UTF_8))
    catch { case NonFatal(_) => () }

  private def directory: String = StorePath.join(root, Versions.directoryName)

  private def reading[A](file: VersionFile)(body: (ReadableFile, Manifest) => A): A =
    LanceFormatException.locating(Location(file = Some(file.path))) {
      Using.resource(open(file)) { opened =>
        val manifest = ManifestCodec.read(opened)
        if (manifest.version != file.version)
          throw new LanceFormatException(
            s"the manifest says version ${java.lang.Long.toUnsignedString(manifest.version)}, its name ${file.version}"
          )
        body(opened, manifest)
      }
    }

  private def open(file: VersionFile): ReadableFile =
    try store.open(file.path, Some(file.size))
    catch {
      case e: FileNotFoundException =>
        throw new LanceTableNotFoundException(
          s"Version ${file.version} of the table at $root was removed while it was opened; read a later version.",
          e
        )
    }
}

object Versions {
  private[table] val directoryName = "_versions"
  private val hintName = "latest_version_hint.json"
}
