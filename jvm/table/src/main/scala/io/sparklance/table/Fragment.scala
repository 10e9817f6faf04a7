package io.sparklance.table

import scala.collection.immutable.ArraySeq

import com.google.protobuf.ByteString

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.proto.{table => pb}

/** A fragment: rows, stored in one or more files. Holds the message itself, so that unknown fields are kept.
  */
final private[sparklance] case class Fragment(message: pb.DataFragment) {
  def id: Long = message.id

  /** The data files. Each holds some columns for all rows; a field without a file is null in all rows. */
  def files: Vector[DataFile] = message.files.iterator.map(DataFile(_)).toVector

  def deletionFile: Option[DeletionFile] = message.deletionFile.map(DeletionFile(_))

  /** Number of rows, including deleted ones; absent in old tables. */
  def physicalRows: Option[Long] = Option(message.physicalRows).filter(_ != 0)

  /** Whether row ids or row versions are in hidden columns of its files. */
  def hidesLineage: Boolean = hidesRowIds || hidesCreatedAtVersions || hidesLastUpdatedAtVersions
  def hidesRowIds: Boolean = message.rowIdSequence.isColumnRowIds
  def hidesCreatedAtVersions: Boolean = message.createdAtVersionSequence.isColumnCreatedAtVersions
  def hidesLastUpdatedAtVersions: Boolean = message.lastUpdatedAtVersionSequence.isColumnLastUpdatedAtVersions

  /** Stable row ids: the bytes of a message `RowIdSequence`. None if the table has no stable ids. */
  def rowIds: Option[ArraySeq[Byte]] = message.rowIdSequence match {
    case pb.DataFragment.RowIdSequence.InlineRowIds(bytes) =>
      Some(ArraySeq.unsafeWrapArray(bytes.toByteArray))
    case _: pb.DataFragment.RowIdSequence.ColumnRowIds =>
      throw new UnsupportedLanceFeatureException(
        "changing rows, or some of their columns, in a table whose row ids are in hidden columns"
      )
    case pb.DataFragment.RowIdSequence.Empty => None
  }

  /** Versions that created its rows: the bytes of a message `RowDatasetVersionSequence`, if known. */
  def createdAtVersions: Option[ArraySeq[Byte]] = {
    import pb.DataFragment.{CreatedAtVersionSequence => Versions}
    message.createdAtVersionSequence match {
      case Versions.InlineCreatedAtVersions(bytes) => Some(ArraySeq.unsafeWrapArray(bytes.toByteArray))
      case _: Versions.ColumnCreatedAtVersions => throw Fragment.hiddenVersions
      case Versions.Empty => None
    }
  }

  /** Versions that last updated its rows, likewise. */
  def lastUpdatedAtVersions: Option[ArraySeq[Byte]] = {
    import pb.DataFragment.{LastUpdatedAtVersionSequence => Versions}
    message.lastUpdatedAtVersionSequence match {
      case Versions.InlineLastUpdatedAtVersions(bytes) => Some(ArraySeq.unsafeWrapArray(bytes.toByteArray))
      case _: Versions.ColumnLastUpdatedAtVersions => throw Fragment.hiddenVersions
      case Versions.Empty => None
    }
  }

  /** @param ids in the form of [[rowIds]] */
  def withRowIds(ids: ByteString): Fragment = Fragment(message.withInlineRowIds(ids))

  /** Returns the encoded message. */
  def toBytes: Array[Byte] = message.toByteArray

  /** Returns the fragment with these row ids and versions. */
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

  /** Returns the fragment with one more file, which now holds its fields. */
  def withFile(file: DataFile): Fragment = {
    val fields = file.fieldIds.toSet
    val before = message.files.map(old =>
      old.copy(fields = old.fields.map(id => if (fields(id)) Fragment.Invalidated else id))
    )
    Fragment(message.copy(files = before :+ file.message))
  }

  /** Returns the fragment without the files that hold neither one of `fields` nor a hidden column of row
    * lineage.
    */
  def keeping(fields: Set[Int]): Fragment = {
    val kept = message.files.filter(_.fields.exists(id => fields(id) || id < Fragment.Invalidated))
    Fragment(message.copy(files = kept))
  }

  def withId(id: Long): Fragment = Fragment(message.copy(id = id))

  /** Returns what determines its values: id, files and row count, without deletions. */
  def filesOnly: Fragment =
    Fragment(pb.DataFragment(id = message.id, files = message.files, physicalRows = message.physicalRows))

  /** Returns what determines its values and its deletions. */
  def filesAndDeletions: Fragment = Fragment(filesOnly.message.copy(deletionFile = message.deletionFile))
}

private[sparklance] object Fragment {

  /** Field id of an invalidated column. */
  val Invalidated: Int = -2

  private def hiddenVersions = new UnsupportedLanceFeatureException(
    "changing rows, or some of their columns, in a table whose rows' versions are in hidden columns"
  )

  /** Returns a new fragment; the commit assigns its id. It has rows, because 0 would mean an unknown number.
    */
  def of(files: Vector[DataFile], physicalRows: Long): Fragment = {
    require(physicalRows > 0, s"$physicalRows rows in ${files.map(_.path).mkString(", ")}")
    Fragment(pb.DataFragment(files = files.map(_.message), physicalRows = physicalRows))
  }
}
