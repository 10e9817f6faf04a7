package io.sparklance.dataset.statistics

import io.sparklance.data.NullMask

private[dataset] object ValidRows {

  /** Lists the rows of `[from, from + count)` that are in none of `masks`, Returns their number. */
  def list(masks: Vector[NullMask], from: Int, count: Int, positions: Array[Int]): Int = {
    var i = 0
    while (i < count) { positions(i) = from + i; i += 1 }
    masks.foldLeft(count)((left, mask) => if (mask.hasNulls) without(mask.orNull, positions, left) else left)
  }

  private def without(nulls: Array[Boolean], positions: Array[Int], count: Int): Int = {
    var kept = 0
    var i = 0
    while (i < count) {
      val row = positions(i)
      positions(kept) = row
      if (!nulls(row)) kept += 1
      i += 1
    }
    kept
  }
}
