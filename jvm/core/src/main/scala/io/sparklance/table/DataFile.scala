package io.sparklance.table

import io.sparklance.data.FileVersion
import io.sparklance.proto.{table => pb}

/** A file of a fragment, as the manifest lists it. Holds the message itself, so that fields unknown to us stay. */
final case class DataFile(message: pb.DataFile) {

  /** Relative to the data directory of the root that [[baseId]] names. */
  def path: String = message.path

  /** Negative ids mark columns that are no part of the schema: invalidated (-2) or hidden lineage (-3 to -5). */
  def fieldIds: Vector[Int] = message.fields.toVector

  /** Parallel to [[fieldIds]]: the column of the file; -1 for a field without one. Files of version 0.1 know columns by the
    * ids of the fields.
    */
  def columnIndices: Vector[Int] =
    if (version.contains(FileVersion.V0_1)) fieldIds else message.columnIndices.toVector

  def majorVersion: Int = message.fileMajorVersion
  def minorVersion: Int = message.fileMinorVersion

  /** The version as the format's documents name it. */
  def versionName: String = (majorVersion, minorVersion) match {
    case (0, minor) if Integer.compareUnsigned(minor, 3) < 0 => "0.1"
    case (0, 3) => "2.0"
    case (major, minor) => s"${Integer.toUnsignedString(major)}.${Integer.toUnsignedString(minor)}"
  }

  /** The version, if this library handles it. Manifests call 2.0 either so or, as its files do, 0.3. */
  def version: Option[FileVersion] = FileVersion.parse(versionName)

  def size: Option[Long] = Option(message.fileSizeBytes).filter(_ != 0)
  def baseId: Option[Int] = message.baseId
}

object DataFile {

  /** A new file of the table's own. */
  def of(
      path: String,
      fieldIds: Vector[Int],
      columnIndices: Vector[Int],
      version: FileVersion,
      size: Long
  ): DataFile =
    DataFile(pb.DataFile(path, fieldIds, columnIndices, version.major, version.minor, size))
}
