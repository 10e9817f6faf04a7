package io.sparklance.table

import java.net.URI
import java.util.UUID

import scala.util.Try

import io.sparklance.LanceFormatException
import io.sparklance.io.StorePath
import io.sparklance.proto.{table => pb}

/** Locations of a manifest's files: below the table's root, or in a base that the manifest lists. */
final private[sparklance] class TablePaths(root: String, manifest: Manifest) {
  private val bases: Map[Int, pb.BasePath] =
    manifest.basePaths.map(base => base.id -> base.withPath(TablePaths.plain(base.path))).toMap

  def dataFile(file: DataFile): String = {
    checkRelative(file.path)
    file.baseId.map(base) match {
      case None => StorePath.join(root, "data", file.path)
      case Some(base) if base.isDatasetRoot => StorePath.join(base.path, "data", file.path)
      case Some(base) => StorePath.join(base.path, file.path)
    }
  }

  def deletionFile(fragment: Fragment, file: DeletionFile): String = {
    val directory = file.baseId.map(base) match {
      case None => root
      case Some(base) if base.isDatasetRoot => base.path
      case Some(base) =>
        throw new LanceFormatException(s"a deletion file in base ${base.path}, which is not the root of " +
          "a table")
    }
    file.path(directory, fragment.id)
  }

  def indexDirectory(uuid: UUID, baseId: Option[Int]): String = baseId.map(base) match {
    case None => StorePath.join(root, "_indices", uuid.toString)
    case Some(base) if base.isDatasetRoot => StorePath.join(base.path, "_indices", uuid.toString)
    case Some(base) => StorePath.join(base.path, uuid.toString)
  }

  private def base(id: Int): pb.BasePath = bases.getOrElse(
    id,
    throw new LanceFormatException(
      s"a file refers to base ${Integer.toUnsignedString(id)}, which the manifest lacks"
    )
  )

  /** Refuses paths that leave the places that the manifest lists. */
  private def checkRelative(path: String): Unit = {
    val outside = path.isEmpty || path.startsWith("/") || path.contains("://") || path.contains('\\') ||
      path.split('/').exists(part => part == ".." || part == ".")
    if (outside) throw new LanceFormatException(s"the data file path \"$path\" leads out of the table")
  }
}

private[sparklance] object TablePaths {

  /** Returns the path of a base, which other writers may have as an escaped URI of a file. */
  def plain(base: String): String =
    if (base.startsWith("file://")) Try(new URI(base).getPath).getOrElse(base) else base

  /** The directory below a table's root in which backfill jobs note finished files. */
  val JobDirectory = "_sparklance"
}
