package io.sparklance.file

import io.sparklance.data.Column

/** Decodes chosen rows of a field, in increasing order. */
private[file] trait RowSelector {

  /** The chosen rows that are not discarded, then other decoded rows. */
  def column: Column

  /** Makes the column begin with the first `count` chosen rows that are not discarded. Returns how many of
    * them it has: fewer than `count` if their values are large, but at least one.
    */
  def select(count: Int): Int

  /** Drops the first `n` rows. */
  def discard(n: Int): Unit
}

/** A selector that may hold more rows than others of its stage: a batch ends where one of them does. */
abstract private[file] class BufferedSelector(chosen: ChosenRows) extends RowSelector {
  // The number of the first row that is not discarded, and how many chosen rows the column begins with.
  private var first = chosen.first
  protected var held = 0
  private var picked = new Array[Int](0)

  /** The number of the chosen row at position `i` of the column. */
  final protected def number(i: Int): Long = first + i

  /** The row of the fragment at position `i` of the column. */
  final protected def row(i: Int): Long = chosen(first + i)

  /** Returns the positions of the chosen rows in the column. Held rows are in place. */
  final protected def picks(count: Int): Array[Int] = {
    if (picked.length < count) picked = new Array[Int](count)
    var i = 0
    while (i < held && i < count) { picked(i) = i; i += 1 }
    picked
  }

  /** Moves `n` chosen rows from where they were decoded to the head. Rows decoded after the last of them stay
    * behind it.
    */
  final protected def hold(picked: Array[Int], n: Int): Unit = if (n > held) {
    column.retain(picked, n, picked(n - 1) + 1)
    held = n
  }

  final def discard(n: Int): Unit = {
    column.discardHead(n)
    held -= n
    first += n
  }
}
