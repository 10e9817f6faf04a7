package io.sparklance.dataset.grouping

import java.util.Arrays

import io.sparklance.data.Column
import io.sparklance.dataset.predicate.NumberKeys
import io.sparklance.dataset.statistics.End
import io.sparklance.schema.Leaf

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
