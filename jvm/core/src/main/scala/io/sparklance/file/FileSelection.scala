package io.sparklance.file

import io.sparklance.data.Column

/** Decodes chosen rows of some of a file's columns. */
final private[sparklance] class FileSelection private[file] (selectors: Vector[RowSelector]) {

  /** One for each requested column. Behind the chosen rows there may be others. */
  val columns: Vector[Column] = selectors.map(_.column)

  /** Makes the first values of all columns those of the rows `rows(positions(i))` of the file, for i from 0
    * on, and says how many of the `count` there are: fewer if their values are large, but one at least.
    * Positions and rows increase. Of the rows that were chosen before, those not discarded come again, and
    * none before these does.
    */
  def select(rows: Array[Long], positions: Array[Int], count: Int): Int =
    selectors.foldLeft(count)((n, selector) => selector.select(rows, positions, n))

  /** Keeps, among the first `of` chosen rows, those at the ascending `positions[0 until count]`. */
  def retain(positions: Array[Int], count: Int, of: Int): Unit =
    selectors.foreach(_.retain(positions, count, of))

  /** Drops the first `n` chosen rows. */
  def discard(n: Int): Unit = selectors.foreach(_.discard(n))
}
