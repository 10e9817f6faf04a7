package io.sparklance.file

import io.sparklance.data.Column

/** Decodes chosen rows of a field, in increasing order. */
private[file] trait RowSelector {

  /** First the chosen rows that were not discarded yet, then what else was decoded. */
  def column: Column

  /** Makes the column begin with the rows `rows(positions(i))` of the file, for i from 0 on, and says how
    * many of the `count` there are: fewer if their values are large, but one at least. Rows that were chosen
    * before and are not discarded must be among them; no row before these is ever chosen again.
    */
  def select(rows: Array[Long], positions: Array[Int], count: Int): Int

  /** Keeps the rows at `positions[0 until count]` among the first `of` chosen rows. */
  def retain(positions: Array[Int], count: Int, of: Int): Unit

  /** Drops the first `n` chosen rows. */
  def discard(n: Int): Unit
}

/** A selector that counts how many of the column's values are chosen rows. */
abstract private[file] class BufferedSelector extends RowSelector {
  protected var held = 0
  private var picked = new Array[Int](0)

  /** Returns the positions of the chosen rows in the column. Held rows are in place. */
  final protected def picks(count: Int): Array[Int] = {
    if (picked.length < count) picked = new Array[Int](count)
    var i = 0
    while (i < held && i < count) { picked(i) = i; i += 1 }
    picked
  }

  /** Moves `n` chosen rows from where they were decoded to the head. What follows on the last of them stays
    * behind it.
    */
  final protected def hold(picked: Array[Int], n: Int): Unit = if (n > held) {
    column.retain(picked, n, picked(n - 1) + 1)
    held = n
  }

  final def retain(positions: Array[Int], count: Int, of: Int): Unit = {
    column.retain(positions, count, of)
    held -= of - count
  }

  final def discard(n: Int): Unit = {
    column.discardHead(n)
    held -= n
  }
}
