package io.sparklance.table

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.io.StorePath
import io.sparklance.proto.table.DeletionFile.DeletionFileType
import io.sparklance.proto.{table => pb}

/** A fragment's deletion file, as the manifest lists it. Holds the message itself, so that fields unknown to
  * us stay.
  */
final private[sparklance] case class DeletionFile(message: pb.DeletionFile) {

  def kind: DeletionFileKind = message.fileType match {
    case DeletionFileType.ARROW_ARRAY => DeletionFileKind.ArrowArray
    case DeletionFileType.BITMAP => DeletionFileKind.Bitmap
    case DeletionFileType.Unrecognized(number) =>
      throw new UnsupportedLanceFeatureException(s"the deletion file type $number")
  }

  /** Number of deleted rows; absent in old tables. */
  def deletedRows: Option[Long] = Option(message.numDeletedRows).filter(_ != 0)

  def baseId: Option[Int] = message.baseId

  /** The file's name in the deletions directory; all three numbers are unsigned. */
  def fileName(fragmentId: Long): String = {
    val numbers = Seq(fragmentId, message.readVersion, message.id).map(java.lang.Long.toUnsignedString)
    s"${numbers.mkString("-")}.${kind.suffix}"
  }

  /** The file's path.
    *
    * @param root
    *   of the table, or of the base that has the file
    */
  def path(root: String, fragmentId: Long): String =
    StorePath.join(root, "_deletions", fileName(fragmentId))
}

private[sparklance] object DeletionFile {

  /** Returns a new file in the table's own directory. */
  def of(kind: DeletionFileKind, readVersion: Long, id: Long, deletedRows: Long): DeletionFile =
    DeletionFile(pb.DeletionFile(fileType = typeOf(kind), readVersion, id, deletedRows))

  private def typeOf(kind: DeletionFileKind): DeletionFileType = kind match {
    case DeletionFileKind.ArrowArray => DeletionFileType.ARROW_ARRAY
    case DeletionFileKind.Bitmap => DeletionFileType.BITMAP
  }
}
