package io.sparklance.dataset

import io.sparklance.LanceUsageException
import io.sparklance.data.RowRanges
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.table.Fragment
import io.sparklance.table.deletion.DeletionVector
import io.sparklance.table.rowid.RowIdEncoder
import io.sparklance.table.transaction.{AffectedRows, NewColumns, Operation}

/** A file with rows that were in the table before.
  *
  * @param rowIds
  *   of a table with stable ones, those of its first rows, which keep them; rows behind these are new ones
  */
final private[sparklance] case class MovedRows(file: WrittenFile, rowIds: Array[Long])

/** New values of columns for rows of a fragment, which stay in place.
  *
  * @param file
  *   has the columns of all rows
  * @param changed
  *   offsets of the rows with new values
  */
final private[sparklance] case class ChangedColumns(
    fragment: Long,
    file: WrittenFile,
    changed: DeletionVector
)

/** Operations that delete and change rows of a version of a table; what others did to the same fragments
  * since is kept, as long as it was to other rows.
  */
private[sparklance] object RowOperations {

  /** @param addresses
    *   of the rows to be deleted
    * @param predicate
    *   that found them, for information
    */
  def delete(table: Dataset, addresses: RowRanges, predicate: String): Operation =
    delete(table, there(table, addresses), predicate)

  def delete(table: Dataset, rows: RowSet, predicate: String): Operation =
    Operation.Delete.of(affected(table, rows), predicate)

  /** Deletes rows and adds others, some of which may be the deleted ones as they are now. */
  def update(table: Dataset, addresses: RowRanges, files: Vector[MovedRows]): Operation.Update =
    update(table, there(table, addresses), files)

  /** Adds rows of which the operation may tell the primary keys. */
  def insert(table: Dataset, files: Vector[WrittenFile]): Operation.Update =
    update(table, RowSet.empty, files.map(MovedRows(_, Array.emptyLongArray)))

  def update(table: Dataset, rows: RowSet, files: Vector[MovedRows]): Operation.Update =
    Operation.Update.of(affected(table, rows), fragments(files), table.schema.preOrder.map(_.id))

  private def fragments(files: Vector[MovedRows]): Vector[Fragment] = files.map { moved =>
    val fragment = Dataset.fragment(moved.file)
    if (moved.rowIds.isEmpty) fragment else fragment.withRowIds(RowIdEncoder.encode(moved.rowIds))
  }

  /** Changes columns of rows in place, deletes others, and adds rows.
    *
    * @param fields
    *   of the columns
    * @param moves
    *   whether some of the deleted rows are among the added ones
    */
  def inPlace(
      table: Dataset,
      deleted: RowSet,
      added: Vector[MovedRows],
      columns: Vector[ChangedColumns],
      fields: Vector[Int],
      moves: Boolean
  ): Operation.Update = {
    val files = columns.map(of => of.fragment -> NewColumns(Dataset.dataFile(of.file), of.changed)).toMap
    val touched = affected(table, deleted, files)
    Operation.Update.inPlace(
      touched,
      fragments(added),
      table.schema.preOrder.map(_.id),
      fields,
      table.hasStableRowIds,
      moves
    )
  }

  private def there(table: Dataset, addresses: RowRanges): RowSet = {
    val found = RowSet.of(table, addresses)
    if (found.count != addresses.count) throw absent(table)
    found
  }

  private def affected(
      table: Dataset,
      rows: RowSet,
      columns: Map[Long, NewColumns] = Map.empty
  ): Vector[AffectedRows] = {
    val found = table.fragments.flatMap { fragment =>
      val (gone, now) = (rows.fragments.get(fragment.id), columns.get(fragment.id))
      Option.when(gone.isDefined || now.isDefined)(
        AffectedRows(fragment, table.physicalRows(fragment), gone.getOrElse(DeletionVector.empty), now)
      )
    }
    val touched = rows.fragments.keySet ++ columns.keySet
    if (found.size != touched.size || found.exists(isBeyond)) throw absent(table)
    found
  }

  private def isBeyond(affected: AffectedRows): Boolean =
    (affected.rows +: affected.columns.map(_.changed).toVector).exists(_.last >= affected.physicalRows)

  private def absent(table: Dataset): LanceUsageException = new LanceUsageException(
    s"The table at ${table.root} has no such rows in version ${table.version}: some addresses of rows to " +
      "delete or change do not exist. Take the addresses from the version that you write to."
  )
}
