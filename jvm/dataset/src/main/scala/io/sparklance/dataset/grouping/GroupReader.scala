package io.sparklance.dataset.grouping

import io.sparklance.data.Column
import io.sparklance.dataset.scan.{ReadStats, Split, SplitReader}
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.io.ObjectStore
import io.sparklance.schema.Leaf

/** Returns the partial aggregates of the groups of a split's rows, in batches. Keeps a bounded number of
  * groups in memory: when there are more, it returns these, forgets them, and goes on.
  *
  * @param split
  *   rows to read, projected to [[Grouping.projection]]
  * @param proceed
  *   called repeatedly; throws when the task is cancelled
  * @param limits
  *   what it keeps in memory
  */
final private[sparklance] class GroupReader(
    store: ObjectStore,
    split: Split,
    grouping: Grouping,
    batchRows: Int,
    proceed: () => Unit,
    limits: GroupLimits = GroupLimits.default
) extends AutoCloseable {
  private val reader = new SplitReader(store, split, batchRows)
  private val batch = new LeafBatch(grouping.projection, batchRows)
  private val keys = new GroupKeys(grouping.keys, batchRows)
  private val groups = new Array[Int](batchRows)
  private val nodes = new ExactNodes
  private val accumulators = grouping.aggregates.map(Accumulator.of(_, nodes))
  private val results = grouping.fields.map(LeafColumn.ofNulls)
  private val (keyResults, aggregateResults) = results.splitAt(grouping.keys.size)
  private var capacity = limits.groups
  private var isDone = false
  private var pending: Iterator[Int] = Iterator.empty
  private var returned = 0

  /** One column for each field of the results. Valid until the next call of [[next]]. */
  def columns: Vector[Column] = results

  /** Number of results in [[columns]]. */
  def rowCount: Int = returned

  /** Work done. */
  def stats: ReadStats = reader.stats

  /** Moves to the next results; false at the end. Without keys, there is at least one. */
  def next(): Boolean = {
    while (!pending.hasNext && !isDone) {
      fill()
      pending = grouped ++ accumulators.indices.iterator.flatMap(spilled)
    }
    pending.hasNext && { returned = pending.next(); true }
  }

  def close(): Unit = reader.close()

  /** Reads rows until there are enough groups. */
  private def fill(): Unit = {
    accumulators.foreach(_.clear(keys.size))
    keys.clear(capacity + batchRows)
    var rows = 0L
    while (!isFull && !isDone) {
      proceed()
      if (reader.next()) {
        batch.show(reader.columns, reader.rowCount)
        keys.number(batch, groups)
        accumulators.foreach { accumulator =>
          accumulator.reserve(keys.size)
          accumulator.add(batch, groups)
        }
        rows += batch.rows
      } else isDone = true
    }
    accumulators.foreach { accumulator =>
      accumulator.reserve(keys.size)
      accumulator.finish()
    }
    // A table that fits into the processor's cache is faster, if most rows are groups of their own anyway.
    if (rows < GroupReader.WorthwhileShare * keys.size) capacity = limits.fewGroups
  }

  private def isFull: Boolean = keys.size >= capacity || keys.sizeInBytes >= limits.keyBytes ||
    accumulators.exists(_.spilled.size >= capacity)

  /** Returns the numbers of results of all groups, each when it is in the columns. */
  private def grouped: Iterator[Int] =
    batches(keys.size).map { case (first, n) =>
      val some = Array.range(first, first + n)
      begin(some, n)
      accumulators.zip(aggregateResults).foreach { case (a, column) => a.append(some, n, column) }
      n
    }

  /** Returns the numbers of results that an aggregate has spilled. */
  private def spilled(of: Int): Iterator[Int] = {
    val spill = accumulators(of).spilled
    batches(spill.size).map { case (first, n) =>
      begin(spill.groups.slice(first, first + n), n)
      accumulators.zip(aggregateResults).zipWithIndex.foreach { case ((a, column), index) =>
        if (index == of) (first until first + n).foreach(ExactSum.appendSpilled(spill, _, column))
        else a.appendNeutral(n, column)
      }
      n
    }
  }

  /** Returns the first and the number of the results of each batch. Many groups may have the same long key,
    * which all of their results repeat.
    */
  private def batches(count: Int): Iterator[(Int, Int)] = {
    val most = math.max(1L, math.min(batchRows.toLong, limits.keyBytes / math.max(1L, keys.longest))).toInt
    Iterator.range(0, count, most).map(first => (first, math.min(most, count - first)))
  }

  private def begin(some: Array[Int], n: Int): Unit = {
    results.foreach(_.clear())
    keys.append(some, n, keyResults)
  }
}

private object GroupReader {

  /** Rows for each group from which on a large table is worth its space. */
  final private val WorthwhileShare = 1.5
}

/** Bounds of what a reader keeps in memory. It goes on to the end of the batch that exceeds one.
  *
  * @param groups
  *   groups, and spilled sums of each aggregate; at least two, because there is one without any rows
  * @param fewGroups
  *   the same, once rows seem to be groups of their own
  * @param keyBytes
  *   bytes of the keys' different values; also of the keys in a batch of results, which has at least one
  */
final private[sparklance] case class GroupLimits(groups: Int, fewGroups: Int, keyBytes: Long) {
  require(math.min(groups, fewGroups) > 1 && keyBytes > 0, toString)
}

private[sparklance] object GroupLimits {
  val default: GroupLimits = GroupLimits(groups = 1 << 18, fewGroups = 1 << 13, keyBytes = 16L << 20)
}

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
