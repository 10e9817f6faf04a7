package io.sparklance.dataset.grouping

import io.sparklance.data.{DataBlock, Fixed32Block, Fixed64Block}
import io.sparklance.schema.Leaf

/** The values of a floating term in a batch.
  *
  * @param doubles
  *   the values; those of nulls are arbitrary
  * @param nulls
  *   the rows that are null; null if there are none
  */
final private class FloatingValues(val doubles: Array[Double], val nulls: Array[Boolean])

/** Evaluates a floating term. */
sealed abstract private class FloatingNode {
  def of(batch: LeafBatch): FloatingValues
}

private object FloatingNode {
  def of(term: NumericTerm.Floating): FloatingNode = term match {
    case NumericTerm.FloatingLeaf(leaf) => new OfLeaf(leaf)
    case NumericTerm.FloatingConstant(value) => new OfConstant(value)
    case NumericTerm.FloatingOperation(operation, left, right) =>
      new OfOperation(operation, of(left), of(right))
  }

  final private class OfLeaf(leaf: Leaf) extends FloatingNode {
    def of(batch: LeafBatch): FloatingValues =
      new FloatingValues(doubles(batch.values(leaf), batch.rows), batch.nulls(leaf))
  }

  final private class OfConstant(value: Double) extends FloatingNode {
    def of(batch: LeafBatch): FloatingValues = new FloatingValues(Array.fill(batch.rows)(value), null)
  }

  final private class OfOperation(operation: NumericTerm.Operation, left: FloatingNode, right: FloatingNode)
      extends FloatingNode {
    def of(batch: LeafBatch): FloatingValues = {
      val (a, b) = (left.of(batch), right.of(batch))
      val nulls = LeafBatch.either(a.nulls, b.nulls, batch.rows)
      new FloatingValues(combined(operation, a.doubles, b.doubles, batch.rows), nulls)
    }
  }

  private def doubles(block: DataBlock, rows: Int): Array[Double] = {
    val out = new Array[Double](rows)
    var i = 0
    block match {
      case floats: Fixed32Block =>
        val bits = floats.values
        while (i < rows) { out(i) = java.lang.Float.intBitsToFloat(bits(i)).toDouble; i += 1 }
      case doubles: Fixed64Block =>
        val bits = doubles.values
        while (i < rows) { out(i) = java.lang.Double.longBitsToDouble(bits(i)); i += 1 }
      case other => throw new IllegalStateException(s"no floats: ${other.getClass}")
    }
    out
  }

  private def combined(
      operation: NumericTerm.Operation,
      a: Array[Double],
      b: Array[Double],
      rows: Int
  ): Array[Double] = {
    val out = new Array[Double](rows)
    var i = 0
    operation match {
      case NumericTerm.Plus => while (i < rows) { out(i) = a(i) + b(i); i += 1 }
      case NumericTerm.Minus => while (i < rows) { out(i) = a(i) - b(i); i += 1 }
      case NumericTerm.Times => while (i < rows) { out(i) = a(i) * b(i); i += 1 }
    }
    out
  }
}
