package io.sparklance.table

import io.sparklance.data.FileVersion
import io.sparklance.proto.{table => pb}

/** A file of a fragment, as the manifest lists it. Holds the message itself, so that fields unknown to us
  * stay.
  */
final private[sparklance] case class DataFile(message: pb.DataFile) {

  /** Path relative to the data directory of the root that [[baseId]] names. */
  def path: String = message.path

  /** Ids of the file's fields. Negative ids are not in the schema: invalidated columns (-2) or hidden lineage
    * (-3 to -5).
    */
  def fieldIds: Vector[Int] = message.fields.toVector

  /** Column of the file for each of [[fieldIds]]; -1 for a field without one. In files of version 0.1,
    * columns are identified by field ids.
    */
  def columnIndices: Vector[Int] =
    if (version.contains(FileVersion.V0_1)) fieldIds else message.columnIndices.toVector

  def majorVersion: Int = message.fileMajorVersion
  def minorVersion: Int = message.fileMinorVersion

  /** The version by its name in the format specification. */
  def versionName: String = (majorVersion, minorVersion) match {
    case (0, minor) if Integer.compareUnsigned(minor, 3) < 0 => "0.1"
    case (0, 3) => "2.0"
    case (major, minor) => s"${Integer.toUnsignedString(major)}.${Integer.toUnsignedString(minor)}"
  }

  /** The version, if this library supports it. Manifests record 2.0 as 2.0 or, like its files, as 0.3. */
  def version: Option[FileVersion] = FileVersion.parse(versionName)

  def size: Option[Long] = Option(message.fileSizeBytes).filter(_ != 0)
  def baseId: Option[Int] = message.baseId
}

private[sparklance] object DataFile {

  /** Id of a column that newer files replace. */
  val Invalidated: Int = -2

  /** Returns a new file in the table's own directory. */
  def of(
      path: String,
      fieldIds: Vector[Int],
      columnIndices: Vector[Int],
      version: FileVersion,
      size: Long
  ): DataFile =
    DataFile(pb.DataFile(path, fieldIds, columnIndices, version.major, version.minor, size))
}
