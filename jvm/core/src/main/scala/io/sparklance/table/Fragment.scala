package io.sparklance.table

import scala.collection.immutable.ArraySeq

import com.google.protobuf.ByteString

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.proto.{table => pb}

/** A run of rows in the files of one fragment. Holds the message itself, so that fields unknown to us stay. */
final case class Fragment(message: pb.DataFragment) {
  def id: Long = message.id

  /** Each holds some columns for all rows; a field in none of them is null in all rows. */
  def files: Vector[DataFile] = message.files.iterator.map(DataFile(_)).toVector

  def deletionFile: Option[DeletionFile] = message.deletionFile.map(DeletionFile(_))

  /** Rows as stored, deleted ones included; absent in old tables. */
  def physicalRows: Option[Long] = Option(message.physicalRows).filter(_ != 0)

  /** What of its rows' ids and versions is in columns of its files that no field of the schema has. */
  def hidesLineage: Boolean = hidesRowIds || hidesCreatedAtVersions || hidesLastUpdatedAtVersions
  def hidesRowIds: Boolean = message.rowIdSequence.isColumnRowIds
  def hidesCreatedAtVersions: Boolean = message.createdAtVersionSequence.isColumnCreatedAtVersions
  def hidesLastUpdatedAtVersions: Boolean = message.lastUpdatedAtVersionSequence.isColumnLastUpdatedAtVersions

  /** The stable ids of its rows: the bytes of a message `RowIdSequence`. None if the table has no such ids. */
  def rowIds: Option[ArraySeq[Byte]] = message.rowIdSequence match {
    case pb.DataFragment.RowIdSequence.InlineRowIds(bytes) =>
      Some(ArraySeq.unsafeWrapArray(bytes.toByteArray))
    case _: pb.DataFragment.RowIdSequence.ColumnRowIds =>
      throw new UnsupportedLanceFeatureException(
        "changing rows, or some of their columns, in a table whose row ids are in hidden columns"
      )
    case pb.DataFragment.RowIdSequence.Empty => None
  }

  /** The versions of the table that made its rows: the bytes of a message `RowDatasetVersionSequence`, if it is known. */
  def createdAtVersions: Option[ArraySeq[Byte]] = {
    import pb.DataFragment.{CreatedAtVersionSequence => Versions}
    message.createdAtVersionSequence match {
      case Versions.InlineCreatedAtVersions(bytes) => Some(ArraySeq.unsafeWrapArray(bytes.toByteArray))
      case _: Versions.ColumnCreatedAtVersions => throw Fragment.hiddenVersions
      case Versions.Empty => None
    }
  }

  /** The versions that changed them last, likewise. */
  def lastUpdatedAtVersions: Option[ArraySeq[Byte]] = {
    import pb.DataFragment.{LastUpdatedAtVersionSequence => Versions}
    message.lastUpdatedAtVersionSequence match {
      case Versions.InlineLastUpdatedAtVersions(bytes) => Some(ArraySeq.unsafeWrapArray(bytes.toByteArray))
      case _: Versions.ColumnLastUpdatedAtVersions => throw Fragment.hiddenVersions
      case Versions.Empty => None
    }
  }

  /** @param ids as [[rowIds]] has them */
  def withRowIds(ids: ByteString): Fragment = Fragment(message.withInlineRowIds(ids))

  /** The message. */
  def toBytes: Array[Byte] = message.toByteArray

  /** The fragment with what [[rowIds]], [[createdAtVersions]] and [[lastUpdatedAtVersions]] tell. */
  def withLineage(
      ids: ArraySeq[Byte],
      createdAt: ArraySeq[Byte],
      lastUpdatedAt: ArraySeq[Byte]
  ): Fragment = {
    def bytes(of: ArraySeq[Byte]) = ByteString.copyFrom(of.toArray)
    Fragment(
      message
        .withInlineRowIds(bytes(ids))
        .withInlineCreatedAtVersions(bytes(createdAt))
        .withInlineLastUpdatedAtVersions(bytes(lastUpdatedAt))
    )
  }

  /** The fragment with one more file, which has the values of some fields from now on. */
  def withFile(file: DataFile): Fragment = {
    val fields = file.fieldIds.toSet
    val before = message.files.map(old =>
      old.copy(fields = old.fields.map(id => if (fields(id)) Fragment.Invalidated else id))
    )
    Fragment(message.copy(files = before :+ file.message))
  }

  /** The fragment without those files that hold none of some fields, and no hidden column of row lineage. */
  def keeping(fields: Set[Int]): Fragment = {
    val kept = message.files.filter(_.fields.exists(id => fields(id) || id < Fragment.Invalidated))
    Fragment(message.copy(files = kept))
  }

  def withId(id: Long): Fragment = Fragment(message.copy(id = id))

  /** What its values follow from: number, files and rows, and not which of these are deleted. */
  def filesOnly: Fragment =
    Fragment(pb.DataFragment(id = message.id, files = message.files, physicalRows = message.physicalRows))

  /** The same, and which are deleted. */
  def filesAndDeletions: Fragment = Fragment(filesOnly.message.copy(deletionFile = message.deletionFile))
}

object Fragment {

  /** Instead of the number of a field whose column in the file counts no more. */
  private val Invalidated = -2

  private def hiddenVersions = new UnsupportedLanceFeatureException(
    "changing rows, or some of their columns, in a table whose rows' versions are in hidden columns"
  )

  /** A new fragment; its id is given at commit. No rows would read as an unknown number of them. */
  def of(files: Vector[DataFile], physicalRows: Long): Fragment = {
    require(physicalRows > 0, s"$physicalRows rows in ${files.map(_.path).mkString(", ")}")
    Fragment(pb.DataFragment(files = files.map(_.message), physicalRows = physicalRows))
  }
}
