package io.sparklance.table.rowid

import io.sparklance.data.{RowRange, RowRanges}

/** A number for each row of a fragment, deleted ones included. */
private[sparklance] trait RowNumbers {

  /** Returns the number of the row at a valid offset. */
  def apply(offset: Long): Long

  /** Returns the offsets of the rows that have one of `numbers`. */
  def offsetsOf(numbers: RowRanges): RowRanges

  /** Encodes the numbers of a valid range of rows. */
  def messageOf(rows: RowRange): Array[Byte]
}
