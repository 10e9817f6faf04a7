package io.sparklance.dataset.grouping

import io.sparklance.data.Column
import io.sparklance.schema.Leaf

/** Numbers the groups of rows in the order of their first appearance.
  *
  * Each key numbers its values. The numbers of the first two keys make a pair, a long, which has a number
  * again. That number and the one of the third key make the next pair, and so on.
  */
final private class GroupKeys(leaves: Vector[Leaf], batchRows: Int) {
  private val columns = leaves.map(leaf =>
    KeyColumn.of(
      leaf
    ).getOrElse(throw new IllegalArgumentException(s"rows cannot be grouped by ${leaf.name}"))
  )
  private val pairs = columns.drop(1).map(_ => new LongNumbering)
  private val singles = new LongNumbering
  private val numbers = new Array[Int](batchRows)
  private val joined = new Array[Long](batchRows)

  /** Number of groups. Without keys, there is one in any case. */
  def size: Int = if (columns.isEmpty) 1 else last.size

  /** Bytes of the keys' values. */
  def sizeInBytes: Long = columns.foldLeft(0L)(_ + _.sizeInBytes)

  /** Bytes of the keys of a group, at most. */
  def longest: Long = columns.foldLeft(0L)(_ + _.longest)

  /** Writes the groups of the batch's rows to `out`. */
  def number(batch: LeafBatch, out: Array[Int]): Unit = columns.headOption.fold(
    java.util.Arrays.fill(out, 0, batch.rows, 0)
  ) { first =>
    first.number(batch, out)
    if (pairs.isEmpty) {
      widen(out, batch.rows)
      singles.number(joined, batch.rows, out)
    }
    columns.drop(1).zip(pairs).foreach { case (column, pair) =>
      column.number(batch, numbers)
      join(out, numbers, batch.rows)
      pair.number(joined, batch.rows, out)
    }
  }

  /** Appends the keys of `groups[0 until n]`, a column for each. */
  def append(groups: Array[Int], n: Int, to: Vector[Column]): Unit = {
    var left = groups
    pairs.zip(columns.drop(1)).zip(to.drop(1)).reverse.foreach { case ((pair, column), out) =>
      val (before, own) = (new Array[Int](n), new Array[Int](n))
      var i = 0
      while (i < n) {
        val value = pair.value(left(i))
        before(i) = (value >> 32).toInt
        own(i) = value.toInt
        i += 1
      }
      column.append(own, n, out)
      left = before
    }
    columns.headOption.foreach(_.append(if (pairs.isEmpty) narrow(left, n) else left, n, to.head))
  }

  /** Forgets all groups, and room for many more than `expected` ones. */
  def clear(expected: Int): Unit = {
    columns.foreach(_.clear(expected))
    pairs.foreach(_.clear(expected))
    singles.clear(expected)
  }

  private def last: LongNumbering = pairs.lastOption.getOrElse(singles)

  private def widen(from: Array[Int], rows: Int): Unit = {
    var i = 0
    while (i < rows) { joined(i) = from(i).toLong; i += 1 }
  }

  private def join(high: Array[Int], low: Array[Int], rows: Int): Unit = {
    var i = 0
    while (i < rows) { joined(i) = high(i).toLong << 32 | low(i) & 0xffffffffL; i += 1 }
  }

  private def narrow(groups: Array[Int], n: Int): Array[Int] = {
    val out = new Array[Int](n)
    var i = 0
    while (i < n) { out(i) = singles.value(groups(i)).toInt; i += 1 }
    out
  }
}
