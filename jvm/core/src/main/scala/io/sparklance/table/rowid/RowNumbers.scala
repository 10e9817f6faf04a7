package io.sparklance.table.rowid

import io.sparklance.data.{RowRange, RowRanges}

/** A number for each row of a fragment, deleted ones included. */
trait RowNumbers {

  /** The number of the row at an offset, which there is. */
  def apply(offset: Long): Long

  /** The offsets of the rows that have one of some numbers. */
  def offsetsOf(numbers: RowRanges): RowRanges

  /** The message of the numbers of some rows only, which there are. */
  def messageOf(rows: RowRange): Array[Byte]
}
