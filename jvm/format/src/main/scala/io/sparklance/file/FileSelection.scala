package io.sparklance.file

import io.sparklance.data.Column

/** Decodes chosen rows of some of a file's columns. */
final private[sparklance] class FileSelection private[file] (selectors: Vector[RowSelector]) {

  /** One for each requested column. After the selected rows there may be others. */
  val columns: Vector[Column] = selectors.map(_.column)

  /** Makes all columns begin with the first `count` chosen rows that are not discarded. Returns how many of
    * them they have: fewer than `count` if their values are large, but at least one.
    */
  def select(count: Int): Int = selectors.foldLeft(count)((n, selector) => selector.select(n))

  /** Drops the first `n` rows. */
  def discard(n: Int): Unit = selectors.foreach(_.discard(n))
}
