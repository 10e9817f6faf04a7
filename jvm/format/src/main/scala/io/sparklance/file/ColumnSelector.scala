package io.sparklance.file

import io.sparklance.data.{Column, Slice, ValueShape}
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.encoding.{DecodeUnit, OpenPage}

/** Decodes chosen rows of a column. Rows that a chunk has after the last chosen row are kept, since the next
  * chosen row may be among them.
  */
final private[file] class ColumnSelector(values: LeafColumn, reads: SelectedReads)
    extends BufferedSelector(reads.chosen) {
  import values.shape
  val column: Column = values.column
  // The row after the column's last.
  private var end = 0L

  private val valueBytes = math.max(1L, ValueShape.minimumBytes(shape))

  def select(count: Int): Int = {
    val picked = picks(count)
    var i = pick(math.min(held, count), count, picked)
    // The size of the next strings and lists is known only when they are decoded, so stretches start small
    // and grow.
    var step = if (values.isVariable) ColumnCursor.FirstRows else Int.MaxValue.toLong
    while (i < count && (i == 0 || room > 0)) {
      decode(i, math.min(count.toLong, i + step).toInt, count)
      i = pick(i, count, picked)
      step = math.min(2 * step, Int.MaxValue.toLong)
      if (isSparse(i)) {
        hold(picked, i)
        val _ = picks(i)
      }
    }
    hold(picked, i)
    i
  }

  /** Writes the positions of decoded rows to `picked`, from row `from` on. Returns the first row that is not
    * decoded.
    */
  private def pick(from: Int, count: Int, picked: Array[Int]): Int = {
    val chosen = reads.chosen
    val last = chosen.copyBelow(number(from), number(count), end, column.length - end, picked, from)
    (last - number(0)).toInt
  }

  /** Whether most decoded values belong to none of the `i` chosen rows, and take much memory. */
  private def isSparse(i: Int): Boolean =
    column.length > 2L * i && column.values.sizeInBytes > ColumnSelector.SparseBytes

  private def room: Long = ColumnCursor.BatchBytes - column.values.sizeInBytes

  /** Decodes row `i` and those before row `until` that are near it, as far as one window has them. */
  private def decode(i: Int, until: Int, count: Int): Unit = {
    val window = reads.window(number(i), number(count - 1) + 1)
    val start = row(i)
    val most = math.min(window.endRow, start + math.max(1L, room / valueBytes))
    val last = reads.chosen.lastNear(number(i), number(until), window.page.gap.toLong, most)
    window.foreach(start, reads.chosen(last) + 1)(append(window.page.firstRow))
    if (end <= start) throw window.page.without(start - window.page.firstRow)
    if (end >= window.endRow) reads.release()
  }

  private def append(firstRow: Long)(page: OpenPage, unit: DecodeUnit, bytes: Slice): Unit = {
    values.decode(page, unit, bytes)
    end = firstRow + unit.rows.end
  }
}

private object ColumnSelector {

  /** Values that are mostly not chosen are removed from time to time, since a batch may be chosen from very
    * many rows.
    */
  final private val SparseBytes = 128L << 10
}
