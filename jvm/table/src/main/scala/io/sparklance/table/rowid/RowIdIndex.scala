package io.sparklance.table.rowid

import java.util.BitSet

import scala.collection.mutable.ArrayBuilder

import io.sparklance.data.{RowRange, RowRanges}

/** The spans of the stable row ids of a version's fragments. It finds the fragments that may have some ids,
  * so that only their sequences are read. An append's ids are one span; those of changed rows may be many.
  *
  * A binary tree over spans in the order of their first ids: each node has the greatest end of those below
  * it.
  *
  * @param firsts
  *   the first id of each span, ascending
  * @param owners
  *   the position of each span's fragment in the manifest
  * @param ends
  *   of the tree's nodes: the root is 1, the children of `i` are `2 i` and `2 i + 1`, and the last half are
  *   the spans
  */
final private[sparklance] class RowIdIndex private (
    firsts: Array[Long],
    owners: Array[Int],
    ends: Array[Long]
) {

  /** Approximate bytes in memory. */
  def weight: Long = 8L * firsts.length + 4L * owners.length + 8L * ends.length

  /** Returns the positions of the fragments that may have some of the ids, ascending. */
  def owners(ids: RowRanges): Array[Int] = {
    val found = new BitSet
    ids.ranges.foreach(find(1, 0, ends.length / 2, _, found))
    found.stream.toArray
  }

  /** Visits the positions of the fragments that may have an id, until `visit` returns a number that is not
    * negative. Returns it, or -1.
    */
  def firstOf(id: Long)(visit: Int => Long): Long = first(1, 0, ends.length / 2, id, visit)

  private def first(node: Int, from: Int, until: Int, id: Long, visit: Int => Long): Long =
    if (from >= firsts.length || firsts(from) > id || ends(node) <= id) -1
    else if (until - from == 1) visit(owners(from))
    else {
      val middle = from + until >>> 1
      val left = first(2 * node, from, middle, id, visit)
      if (left >= 0) left else first(2 * node + 1, middle, until, id, visit)
    }

  /** Searches the spans `[from, until)` below a node. */
  private def find(node: Int, from: Int, until: Int, ids: RowRange, found: BitSet): Unit =
    if (from < firsts.length && firsts(from) < ids.end && ends(node) > ids.start) {
      if (until - from == 1) found.set(owners(from))
      else {
        val middle = from + until >>> 1
        find(2 * node, from, middle, ids, found)
        find(2 * node + 1, middle, until, ids, found)
      }
    }
}

private[sparklance] object RowIdIndex {

  /** @param sequences those of all fragments, in the manifest's order */
  def of(sequences: Iterator[RowIdSequence]): RowIdIndex = {
    val (first, end, owner) = (new ArrayBuilder.ofLong, new ArrayBuilder.ofLong, new ArrayBuilder.ofInt)
    sequences.zipWithIndex.foreach { case (sequence, position) =>
      sequence.spans.foreach { span =>
        first += span.start
        end += span.end
        owner += position
      }
    }
    of(first.result(), end.result(), owner.result())
  }

  private def of(first: Array[Long], end: Array[Long], owner: Array[Int]): RowIdIndex = {
    val order = if (isAscending(first)) first.indices.toArray else first.indices.sortBy(first(_)).toArray
    val leaves = Integer.highestOneBit(math.max(1, 2 * first.length - 1))
    val ends = new Array[Long](2 * leaves)
    order.indices.foreach(i => ends(leaves + i) = end(order(i)))
    for (node <- leaves - 1 until 0 by -1) ends(node) = math.max(ends(2 * node), ends(2 * node + 1))
    new RowIdIndex(order.map(first(_)), order.map(owner(_)), ends)
  }

  private def isAscending(numbers: Array[Long]): Boolean =
    numbers.indices.drop(1).forall(i => numbers(i - 1) <= numbers(i))
}
