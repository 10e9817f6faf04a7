package io.sparklance.dataset.grouping

import java.util.Arrays

import io.sparklance.data.{Column, DataBlock, Fixed32Block, Fixed64Block}
import io.sparklance.dataset.predicate.NumberKeys
import io.sparklance.dataset.statistics.End
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

/** The least or the greatest number, by keys in the order of the numbers. */
final private class OutermostAccumulator(leaf: Leaf, keys: NumberKeys, mask: Long) extends Accumulator {
  private val isFloat = keys.nan.isDefined

  // Keys of minima, and inverted keys of maxima: the least one is wanted.
  private var found = new Array[Long](16)
  private var hasValue = new Array[Boolean](found.length)

  def reserve(groups: Int): Unit = if (groups > found.length) {
    found = Arrays.copyOf(found, Accumulator.grown(found.length, groups))
    hasValue = Arrays.copyOf(hasValue, found.length)
  }

  def add(batch: LeafBatch, groups: Array[Int]): Unit = {
    val values = batch.keys(leaf, keys)
    if (isFloat) SignedZeros.rank(batch.values(leaf), values, batch.rows)
    val nulls = batch.nulls(leaf)
    val rows = batch.rows
    var i = 0
    while (i < rows) {
      if (nulls == null || !nulls(i)) {
        val group = groups(i)
        val key = values(i) ^ mask
        if (!hasValue(group) || key < found(group)) {
          found(group) = key
          hasValue(group) = true
        }
      }
      i += 1
    }
  }

  def append(groups: Array[Int], n: Int, to: Column): Unit = {
    var i = 0
    while (i < n) {
      if (hasValue(groups(i))) {
        val key = found(groups(i)) ^ mask
        if (isFloat) SignedZeros.append(keys, key, to.values) else keys.append(key, to.values)
        to.nulls.appendValid(1)
      } else to.appendNulls(1)
      i += 1
    }
  }

  def appendNeutral(n: Int, to: Column): Unit = to.appendNulls(n)
  def clear(groups: Int): Unit = Arrays.fill(hasValue, 0, groups, false)
}

private object OutermostAccumulator {
  def of(leaf: Leaf, end: End): OutermostAccumulator = {
    val keys = GroupAggregate.numbers(leaf)
      .getOrElse(throw new IllegalArgumentException(s"no order of ${leaf.name}"))
    val mask = end match {
      case End.Least => 0L
      case End.Greatest => -1L
    }
    new OutermostAccumulator(leaf, keys, mask)
  }
}

/** Makes room for a key of -0.0 between those of 0.0 and of negative numbers. In
  * [[io.sparklance.dataset.predicate.NumberKeys]], both zeros have one key.
  */
private object SignedZeros {
  final private val NegativeZero = -1L

  /** Changes the keys of floats so that -0.0 comes before 0.0. */
  def rank(block: DataBlock, keys: Array[Long], rows: Int): Unit = {
    var i = 0
    block match {
      case floats: Fixed32Block =>
        val bits = floats.values
        while (i < rows) { if (bits(i) == Int.MinValue || keys(i) < 0) keys(i) -= 1; i += 1 }
      case doubles: Fixed64Block =>
        val bits = doubles.values
        while (i < rows) { if (bits(i) == Long.MinValue || keys(i) < 0) keys(i) -= 1; i += 1 }
      case other => refuse(other)
    }
  }

  /** Appends the float of a changed key. */
  def append(keys: NumberKeys, key: Long, block: DataBlock): Unit =
    if (key != NegativeZero) keys.append(if (key < 0) key + 1 else key, block)
    else
      block match {
        case floats: Fixed32Block => floats.append(Int.MinValue)
        case doubles: Fixed64Block => doubles.append(Long.MinValue)
        case other => refuse(other)
      }

  private def refuse(block: DataBlock): Nothing =
    throw new IllegalStateException(s"no floats: ${block.getClass}")
}
