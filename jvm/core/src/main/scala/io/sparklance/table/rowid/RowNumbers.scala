package io.sparklance.table.rowid

import io.sparklance.data.RowRanges

/** A number for each row of a fragment, deleted ones included. */
trait RowNumbers {

  /** The number of the row at an offset, which there is. */
  def apply(offset: Long): Long

  /** The offsets of the rows that have one of some numbers. */
  def offsetsOf(numbers: RowRanges): RowRanges
}
