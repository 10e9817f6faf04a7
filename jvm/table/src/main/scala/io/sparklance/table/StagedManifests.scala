package io.sparklance.table

import scala.util.control.NonFatal
import scala.util.matching.Regex

import io.sparklance.io.{ObjectStore, WholeFile}
import io.sparklance.{LanceFormatException, Location}

/** Manifests that wait under a name of their own, `<name>.manifest-<uuid>`, until a database or a server has
  * recorded their version.
  */
private[sparklance] object StagedManifests {

  /** Larger manifests than ours may be. */
  private val MaxSize = Int.MaxValue - 8L

  /** The file in a record: the final name, and what a staged file has after it. */
  val Recorded: Regex = """([0-9]+\.manifest)(-.+)?""".r

  /** Whether a file name is that of a version's manifest. */
  def isOf(name: String, version: Long): Boolean = ManifestNaming.parse(name).exists {
    case ManifestName.Attached(number, _) => number == version
    case ManifestName.Detached(_) => false
  }

  /** Returns the bytes of a manifest, if it exists. */
  def contents(store: ObjectStore, path: String): Option[Array[Byte]] =
    WholeFile.ifExists(store, path) { file =>
      if (file.size > MaxSize)
        throw new LanceFormatException(s"a manifest of ${file.size} bytes", Location(file = Some(path)))
      WholeFile.bytes(file)
    }

  def directoryOf(path: String): String = path.substring(0, path.lastIndexOf('/'))

  def lastOf(path: String): String = path.substring(path.lastIndexOf('/') + 1)

  /** Runs a step whose failure does no harm: the next reader repeats it, or it leaves an unused file. */
  def harmless(body: => Unit): Unit =
    try body
    catch { case NonFatal(_) => () }
}
