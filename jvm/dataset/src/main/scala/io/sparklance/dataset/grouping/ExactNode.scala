package io.sparklance.dataset.grouping

import java.math.BigInteger

import scala.collection.mutable

import io.sparklance.dataset.predicate.NumberKeys
import io.sparklance.schema.Leaf

/** The values of an exact term in a batch, in units of its scale.
  *
  * @param longs
  *   the values; those of nulls are arbitrary, but within the bound
  * @param bound
  *   the greatest absolute value is at most this
  * @param wide
  *   the values instead of `longs`, if some may exceed a long; null otherwise
  * @param nulls
  *   the rows that are null; null if there are none
  */
final private class ExactValues(
    val longs: Array[Long],
    val bound: Long,
    val wide: Array[BigInteger],
    val nulls: Array[Boolean]
) {
  def isWide: Boolean = wide != null
  def big(row: Int): BigInteger = if (isWide) wide(row) else BigInteger.valueOf(longs(row))
}

/** Evaluates a term once for each batch, although several terms may use it. */
sealed abstract private class ExactNode {
  private var stamp = -1L
  private var known: ExactValues = _

  final def of(batch: LeafBatch): ExactValues = {
    if (stamp != batch.stamp) {
      known = compute(batch)
      stamp = batch.stamp
    }
    known
  }

  protected def compute(batch: LeafBatch): ExactValues
}

/** Makes one node for equal terms. */
final private class ExactNodes {
  private val made = mutable.HashMap.empty[NumericTerm.Exact, ExactNode]

  def of(term: NumericTerm.Exact): ExactNode = made.getOrElse(
    term, {
      val node = make(term)
      made(term) = node
      node
    }
  )

  private def make(term: NumericTerm.Exact): ExactNode = term match {
    case NumericTerm.ExactLeaf(leaf, _, _) => new LeafNode(leaf)
    case NumericTerm.ExactConstant(unscaled, _, _) => new ConstantNode(unscaled)
    case NumericTerm.Rescaled(inner, _, scale) if scale == inner.scale => of(inner)
    case NumericTerm.Rescaled(inner, _, scale) =>
      new OperationNode(
        NumericTerm.Times,
        of(inner),
        new ConstantNode(BigInteger.TEN.pow(scale - inner.scale))
      )
    case NumericTerm.ExactOperation(operation, left, right, _, _) =>
      new OperationNode(operation, of(left), of(right))
  }
}

final private class LeafNode(leaf: Leaf) extends ExactNode {
  private val keys: NumberKeys = GroupAggregate.numbers(leaf)
    .getOrElse(throw new IllegalArgumentException(s"no numbers: ${leaf.name}"))

  protected def compute(batch: LeafBatch): ExactValues = {
    val values = batch.keys(leaf, keys)
    val nulls = batch.nulls(leaf)
    if (nulls != null) LeafNode.zero(values, nulls, batch.rows)
    new ExactValues(values, LeafNode.bound(values, batch.rows), null, nulls)
  }
}

private object LeafNode {

  private def zero(values: Array[Long], nulls: Array[Boolean], rows: Int): Unit = {
    var i = 0
    while (i < rows) { if (nulls(i)) values(i) = 0; i += 1 }
  }

  private def bound(values: Array[Long], rows: Int): Long = {
    var least = 0L
    var greatest = 0L
    var i = 0
    while (i < rows) {
      least = math.min(least, values(i))
      greatest = math.max(greatest, values(i))
      i += 1
    }
    // The least long has no absolute value. The next one still forbids all operations on longs.
    math.max(greatest, if (least == Long.MinValue) Long.MaxValue else -least)
  }
}

final private class ConstantNode(unscaled: BigInteger) extends ExactNode {
  protected def compute(batch: LeafBatch): ExactValues =
    if (unscaled.bitLength < 63) {
      val value = unscaled.longValue
      new ExactValues(Array.fill(batch.rows)(value), math.abs(value), null, null)
    } else new ExactValues(null, Long.MaxValue, Array.fill(batch.rows)(unscaled), null)
}

final private class OperationNode(operation: NumericTerm.Operation, left: ExactNode, right: ExactNode)
    extends ExactNode {

  protected def compute(batch: LeafBatch): ExactValues = {
    val (a, b) = (left.of(batch), right.of(batch))
    val nulls = LeafBatch.either(a.nulls, b.nulls, batch.rows)
    val bound = OperationNode.bound(operation, a, b)
    if (bound < Long.MaxValue)
      new ExactValues(OperationNode.longs(operation, a.longs, b.longs, batch.rows), bound, null, nulls)
    else new ExactValues(null, bound, OperationNode.wide(operation, a, b, batch.rows), nulls)
  }
}

private object OperationNode {

  /** Returns the greatest long if results may exceed a long. */
  private def bound(operation: NumericTerm.Operation, a: ExactValues, b: ExactValues): Long =
    if (a.isWide || b.isWide || a.bound == Long.MaxValue || b.bound == Long.MaxValue) Long.MaxValue
    else
      operation match {
        case NumericTerm.Plus | NumericTerm.Minus =>
          val sum = a.bound + b.bound
          if (sum < 0) Long.MaxValue else sum
        case NumericTerm.Times =>
          if (Math.multiplyHigh(a.bound, b.bound) != 0 || a.bound * b.bound < 0) Long.MaxValue
          else a.bound * b.bound
      }

  private def longs(
      operation: NumericTerm.Operation,
      a: Array[Long],
      b: Array[Long],
      rows: Int
  ): Array[Long] = {
    val out = new Array[Long](rows)
    var i = 0
    operation match {
      case NumericTerm.Plus => while (i < rows) { out(i) = a(i) + b(i); i += 1 }
      case NumericTerm.Minus => while (i < rows) { out(i) = a(i) - b(i); i += 1 }
      case NumericTerm.Times => while (i < rows) { out(i) = a(i) * b(i); i += 1 }
    }
    out
  }

  private def wide(
      operation: NumericTerm.Operation,
      a: ExactValues,
      b: ExactValues,
      rows: Int
  ): Array[BigInteger] = Array.tabulate(rows) { i =>
    operation match {
      case NumericTerm.Plus => a.big(i).add(b.big(i))
      case NumericTerm.Minus => a.big(i).subtract(b.big(i))
      case NumericTerm.Times => a.big(i).multiply(b.big(i))
    }
  }
}
