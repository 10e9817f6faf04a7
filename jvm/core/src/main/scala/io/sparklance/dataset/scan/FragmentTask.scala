package io.sparklance.dataset.scan

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.snapshot.{DeletionSource, HiddenColumn, NumberSource}
import io.sparklance.schema.Field

/** Rows of a fragment to be read: everything that an executor has to know, so that it never reads a manifest.
  *
  * @param physicalRows
  *   rows of the fragment, deleted ones included
  * @param rows
  *   which of those to read, by their offsets
  * @param projection
  *   top-level fields, or those of metadata columns, in the order in which the columns come out, each with
  *   the fields inside it that are wanted, in the order in which they are
  * @param witnesses
  *   top-level fields down to single leaves, which are read for the structs and lists around them only
  * @param hidden
  *   the metadata columns which are wanted of those that the files have
  * @param numbers
  *   the columns which are wanted of those that the manifest has
  * @param numbered
  *   the rows of which these have numbers, if not all
  * @param bases
  *   the places that blobs of the projection may refer to by number
  * @param predicate
  *   what the rows must fulfil; its leaves need not be projected
  */
final private[sparklance] case class FragmentTask(
    fragmentId: Long,
    files: Vector[FileSource],
    physicalRows: Long,
    deletion: Option[DeletionSource],
    rows: RowRanges,
    projection: Vector[Field],
    witnesses: Vector[Field] = Vector.empty,
    hidden: Vector[HiddenColumn] = Vector.empty,
    numbers: Vector[NumberSource] = Vector.empty,
    numbered: Option[RowRange] = None,
    bases: Map[Int, String] = Map.empty,
    predicate: Predicate = Predicate.Always
)

/** A data file of a fragment.
  *
  * @param path
  *   absolute
  * @param size
  *   in bytes, if the manifest tells
  * @param fieldIds
  *   the wanted fields that the file holds, and those around them
  * @param columnIndices
  *   parallel to `fieldIds`: the file's column, or a negative number for fields that have none
  * @param firstFieldId
  *   of a file of version 0.1, the id of its first field, wanted or not
  */
final private[sparklance] case class FileSource(
    path: String,
    size: Option[Long],
    fieldIds: Vector[Int],
    columnIndices: Vector[Int],
    firstFieldId: Option[Int] = None
) {

  /** Lists of thousands of fields are not hashed for each look-up. */
  override def hashCode: Int = path.hashCode

  /** The file's column for a field. A field whose data file is a tombstone (-2) or holds no column has none.
    */
  def columnOf(fieldId: Int): Option[Int] = columns.get(fieldId).filter(_ >= 0)

  /** By field. If a field is listed twice, its first column counts. */
  @transient private lazy val columns: Map[Int, Int] = fieldIds.zip(columnIndices).reverse.toMap
}
