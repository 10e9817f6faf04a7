package io.sparklance.dataset

import io.sparklance.LanceUsageException
import io.sparklance.data.RowRanges
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.table.rowid.RowIdEncoder
import io.sparklance.table.transaction.{AffectedRows, Operation}

/** A file with rows that were in the table before.
  *
  * @param rowIds
  *   of a table with stable ones, those of its first rows, which keep them; rows behind these are new ones
  */
final private[sparklance] case class MovedRows(file: WrittenFile, rowIds: Array[Long])

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

  def update(table: Dataset, rows: RowSet, files: Vector[MovedRows]): Operation.Update = {
    val fragments = files.map { moved =>
      val fragment = Dataset.fragment(moved.file)
      if (moved.rowIds.isEmpty) fragment else fragment.withRowIds(RowIdEncoder.encode(moved.rowIds))
    }
    Operation.Update.of(affected(table, rows), fragments, table.schema.preOrder.map(_.id))
  }

  private def there(table: Dataset, addresses: RowRanges): RowSet = {
    val found = RowSet.of(table, addresses)
    if (found.count != addresses.count) throw absent(table)
    found
  }

  private def affected(table: Dataset, rows: RowSet): Vector[AffectedRows] = {
    val found = table.fragments.flatMap { fragment =>
      rows.fragments.get(fragment.id).map(AffectedRows(fragment, table.physicalRows(fragment), _))
    }
    if (found.size != rows.fragments.size || found.exists(isBeyond)) throw absent(table)
    found
  }

  private def isBeyond(affected: AffectedRows): Boolean = affected.rows.last >= affected.physicalRows

  private def absent(table: Dataset): LanceUsageException = new LanceUsageException(
    s"The table at ${table.root} has no such rows in version ${table.version}: some addresses of rows to " +
      "delete or change do not exist. Take the addresses from the version that you write to."
  )
}
