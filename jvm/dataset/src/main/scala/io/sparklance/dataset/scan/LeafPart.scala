package io.sparklance.dataset.scan

import io.sparklance.data.Column
import io.sparklance.schema.Leaf

/** The column of a leaf with all that is around it, and the file that it was read from. The column has
  * `stride` values for each row.
  */
final private case class LeafPart(leaf: Leaf, source: FileSource, column: Column) {
  val stride: Int = leaf.rowsPerRow

  def discardHead(rows: Int): Unit = column.discardHead(rows * stride)

  /** Keeps, among the first `of` rows, those at `positions[0 until count]`. */
  def retain(positions: Array[Int], count: Int, of: Int): Unit =
    if (stride == 1) column.retain(positions, count, of)
    else {
      val all = Array.tabulate(count * stride)(i => positions(i / stride) * stride + i % stride)
      column.retain(all, all.length, of * stride)
    }
}
