package io.sparklance.dataset

import io.sparklance.LanceUsageException
import io.sparklance.data.RowRanges
import io.sparklance.table.deletion.DeletionVector
import io.sparklance.table.rowid.RowIdEncoder
import io.sparklance.table.transaction.{AffectedRows, Operation}

/** A file with rows that were in the table before.
  *
  * @param rowIds of a table with stable ones, those of its first rows, which keep them; rows behind these are new ones
  */
final case class MovedRows(file: WrittenFile, rowIds: Array[Long])

/** Operations that delete and change rows of a version of a table; what others did to the same fragments since is kept, as
  * long as it was to other rows.
  */
object RowChanges {

  /** @param addresses of the rows to be deleted
    * @param predicate that found them, for information
    */
  def delete(table: Dataset, addresses: RowRanges, predicate: String): Operation =
    Operation.Delete.of(affected(table, addresses), predicate)

  /** Deletes rows and adds others, some of which may be the deleted ones as they are now. */
  def update(table: Dataset, addresses: RowRanges, files: Vector[MovedRows]): Operation = {
    val fragments = files.map { moved =>
      val fragment = Dataset.fragment(moved.file)
      if (moved.rowIds.isEmpty) fragment else fragment.withRowIds(RowIdEncoder.encode(moved.rowIds))
    }
    Operation.Update.of(affected(table, addresses), fragments, table.schema.preOrder.map(_.id))
  }

  private def affected(table: Dataset, addresses: RowRanges): Vector[AffectedRows] = {
    val found = table.fragments.flatMap { fragment =>
      val count = table.physicalRows(fragment)
      val rows = addresses.intersect(RowAddress.ofFragment(fragment.id, count))
      Option.when(!rows.isEmpty) {
        val offsets = rows.relativeTo(RowAddress.first(fragment.id))
        AffectedRows(fragment, count, DeletionVector.of(offsets))
      }
    }
    if (found.map(_.rows.cardinality).sum != addresses.count)
      throw new LanceUsageException(
        s"Rows are to be deleted or changed that the table at ${table.root} does not have in version ${table.version}. " +
          "Take their addresses from the version that is written to."
      )
    found
  }
}
