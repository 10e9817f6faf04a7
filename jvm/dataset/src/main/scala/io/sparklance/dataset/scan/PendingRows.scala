package io.sparklance.dataset.scan

import io.sparklance.data.{ColumnCopy, ColumnGather}
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.file.ChosenRows

/** Rows that passed a filter and are not completed yet: a queue of their offsets, and of the values that are
  * decoded already.
  *
  * @param rows
  *   the offsets, for the columns that are read later
  * @param sources
  *   leaves whose values the rows bring, where a filter decodes them
  */
final private class PendingRows(val rows: ChosenRows, val sources: Vector[LeafPart]) {

  /** The values, from row [[head]] on. */
  val parts: Vector[LeafPart] = sources.map(p => p.copy(column = new LeafColumn(p.leaf).column))

  // Completed rows, which are removed from the columns many at a time.
  private var completed = 0

  /** The position of the first row in the columns. */
  def head: Int = completed

  def count: Int = rows.count

  def sizeInBytes: Long = parts.iterator.map(_.column.values.sizeInBytes).sum

  /** Appends values of rows at `first + positions(i)` in the columns of `from`, for i from 0 to `count`.
    *
    * @param to
    *   the parts that take them
    */
  def append(
      from: Vector[LeafPart],
      first: Int,
      positions: Array[Int],
      count: Int,
      to: Vector[LeafPart]
  ): Unit = {
    var p = 0
    while (p < from.size) {
      val (part, target) = (from(p), to(p).column)
      if (part.stride == 1) ColumnGather.append(part.column, first, positions, count, target)
      else ColumnGather.runs(part.column, part.stride, first, positions, count, target)
      p += 1
    }
  }

  /** Keeps the rows at `positions[0 until count]`. Only before anything is requested for them. */
  def retain(positions: Array[Int], count: Int): Unit = {
    parts.foreach(_.discardHead(completed))
    completed = 0
    parts.foreach(_.retain(positions, count, rows.count))
    rows.retain(positions, count)
  }

  /** Makes the values of the first `n` rows those of `targets`. */
  def copyTo(targets: Vector[LeafPart], n: Int): Unit = parts.zip(targets).foreach { case (part, target) =>
    target.column.clear()
    ColumnCopy.append(part.column, head * part.stride, (head + n) * part.stride, target.column)
  }

  /** Drops the first `n` rows. */
  def drop(n: Int): Unit = {
    rows.drop(n)
    completed += n
    if (completed >= rows.count) {
      parts.foreach(_.discardHead(completed))
      completed = 0
    }
  }
}
