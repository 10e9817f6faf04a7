package io.sparklance.dataset.grouping

import java.util.Arrays

import io.sparklance.data.{Column, Fixed64Block}
import io.sparklance.schema.Leaf

/** An aggregate of each group. */
abstract private class Accumulator {

  /** Makes room for the groups below `groups`. */
  def reserve(groups: Int): Unit

  /** Adds the batch's rows to their groups. */
  def add(batch: LeafBatch, groups: Array[Int]): Unit

  /** Appends the results of `groups[0 until n]`. */
  def append(groups: Array[Int], n: Int, to: Column): Unit

  /** Appends results that change nothing when Spark combines them with others. */
  def appendNeutral(n: Int, to: Column): Unit

  /** Called when all rows are added, before the results are taken. */
  def finish(): Unit = ()

  /** More results, each of its group. */
  def spilled: Spill = Spill.none

  /** Forgets everything about the groups below `groups`, which are all. */
  def clear(groups: Int): Unit
}

private object Accumulator {
  def of(aggregate: GroupAggregate, nodes: ExactNodes): Accumulator = aggregate match {
    case GroupAggregate.Rows => new CountAccumulator(None)
    case GroupAggregate.Values(leaf) => new CountAccumulator(Some(leaf))
    case GroupAggregate.Outermost(leaf, end) => OutermostAccumulator.of(leaf, end)
    case GroupAggregate.IntegerSum(term) => new ExactSum(nodes.of(term), ExactSum.Integers)
    case GroupAggregate.DecimalSum(term) => new ExactSum(nodes.of(term), ExactSum.Decimals(term.digits))
    case GroupAggregate.FloatingSum(term) => new FloatingSum(FloatingNode.of(term))
  }

  /** Returns the length of an array for at least `needed` groups. */
  def grown(length: Int, needed: Int): Int = math.max(needed, 2 * length)
}

/** Counts rows, or the values of a leaf. */
final private class CountAccumulator(leaf: Option[Leaf]) extends Accumulator {
  private var counts = new Array[Long](16)

  def reserve(groups: Int): Unit =
    if (groups > counts.length) counts = Arrays.copyOf(counts, Accumulator.grown(counts.length, groups))

  def add(batch: LeafBatch, groups: Array[Int]): Unit = {
    val counts = this.counts
    val nulls = leaf.map(batch.nulls).orNull
    val rows = batch.rows
    var i = 0
    if (nulls == null) while (i < rows) { counts(groups(i)) += 1; i += 1 }
    else while (i < rows) { if (!nulls(i)) counts(groups(i)) += 1; i += 1 }
  }

  def append(groups: Array[Int], n: Int, to: Column): Unit = {
    val block = to.values.asInstanceOf[Fixed64Block]
    val at = block.extend(n)
    var i = 0
    while (i < n) { block.values(at + i) = counts(groups(i)); i += 1 }
    to.nulls.appendValid(n)
  }

  def appendNeutral(n: Int, to: Column): Unit = {
    val block = to.values.asInstanceOf[Fixed64Block]
    val at = block.extend(n)
    Arrays.fill(block.values, at, at + n, 0L)
    to.nulls.appendValid(n)
  }

  def clear(groups: Int): Unit = Arrays.fill(counts, 0, groups, 0L)
}
