package io.sparklance.dataset.predicate

import java.util.Arrays

import io.sparklance.data.{DataBlock, VariableBlock}
import io.sparklance.schema.Leaf

/** Finds the rows of a batch for which a predicate is true. For one thread. */
final private[sparklance] class RowFilter(predicate: Predicate) {
  private val ordered = RowFilter.cheapestFirst(predicate)
  private var keys = new Array[Long](0)

  /** Keeps those of the ascending `positions[0 until count]` whose rows pass. Returns their number. */
  def narrow(batch: Leaf => LeafValues, positions: Array[Int], count: Int): Int =
    narrow(ordered, batch, positions, count)

  private def narrow(test: Predicate, batch: Leaf => LeafValues, positions: Array[Int], count: Int): Int =
    if (count == 0) 0
    else
      test match {
        case Predicate.Always => count
        case Predicate.Never | Predicate.Unknown => 0
        case Predicate.AllOf(operands) =>
          operands.foldLeft(count)((left, operand) => narrow(operand, batch, positions, left))
        case Predicate.AnyOf(operands) => union(operands, batch, positions, count)
        case Predicate.IsNull(leaf) => nulls(batch(leaf), positions, count)
        case Predicate.NotNull(leaf) => valid(batch(leaf), positions, count)
        case Predicate.Passes(leaf, value) => values(leaf, value, batch(leaf), positions, count, flip = 0)
        case Predicate.Fails(leaf, value) => values(leaf, value, batch(leaf), positions, count, flip = 1)
      }

  /** Evaluates each operand only for the rows that failed the operands before it. */
  private def union(
      operands: Vector[Predicate],
      batch: Leaf => LeafValues,
      positions: Array[Int],
      count: Int
  ): Int = {
    val found = new Array[Boolean](positions(count - 1) + 1)
    val left = Arrays.copyOf(positions, count)
    var remaining = count
    operands.foreach { operand =>
      val hits = Arrays.copyOf(left, remaining)
      val n = narrow(operand, batch, hits, remaining)
      var i = 0
      while (i < n) { found(hits(i)) = true; i += 1 }
      remaining = Narrowing.toNulls(found, left, remaining, flip = 1)
    }
    Narrowing.toNulls(found, positions, count, flip = 0)
  }

  private def valid(column: LeafValues, positions: Array[Int], count: Int): Int =
    column.nulls.foldLeft(count) { (left, mask) =>
      if (mask.hasNulls) Narrowing.toNulls(mask.orNull, positions, left, flip = 1) else left
    }

  private def nulls(column: LeafValues, positions: Array[Int], count: Int): Int =
    column.nulls.filter(_.hasNulls) match {
      case Vector() => 0
      case Vector(mask) => Narrowing.toNulls(mask.orNull, positions, count, flip = 0)
      case masks =>
        val any = new Array[Boolean](positions(count - 1) + 1)
        any.indices.foreach(i => any(i) = masks.exists(_.isNull(i)))
        Narrowing.toNulls(any, positions, count, flip = 0)
    }

  private def values(
      leaf: Leaf,
      test: ValueTest,
      column: LeafValues,
      positions: Array[Int],
      count: Int,
      flip: Int
  ): Int = {
    val left = valid(column, positions, count)
    test match {
      case test: NumberTest => numbers(leaf, test, column.values, positions, left, flip)
      case test: BytesTest =>
        bytes(test, column.values.asInstanceOf[VariableBlock], positions, left, flip)
    }
  }

  private def numbers(
      leaf: Leaf,
      test: NumberTest,
      block: DataBlock,
      positions: Array[Int],
      count: Int,
      flip: Int
  ): Int = {
    if (keys.length < count) keys = new Array[Long](count)
    NumberKeys
      .of(leaf.field.logicalType)
      .getOrElse(throw new IllegalArgumentException(s"${leaf.name} is no number"))
      .gather(block, positions, count, keys)
    test match {
      case NumberTest.Within(least, most) => Narrowing.within(keys, least, most, positions, count, flip)
      case set: NumberTest.OneOf =>
        val sorted = set.sorted
        val near =
          if (flip == 0) Narrowing.within(keys, sorted.head, sorted.last, positions, count, flip = 0)
          else count
        Narrowing.oneOf(keys, sorted, positions, near, flip)
    }
  }

  private def bytes(
      test: BytesTest,
      block: VariableBlock,
      positions: Array[Int],
      count: Int,
      flip: Int
  ): Int = test match {
    case BytesTest.SameAs(value) => Narrowing.sameAs(block, RowFilter.array(value), positions, count, flip)
    case BytesTest.Before(value) =>
      Narrowing.notAfter(block, RowFilter.array(value), -1, positions, count, flip)
    case BytesTest.NotAfter(value) =>
      Narrowing.notAfter(block, RowFilter.array(value), 0, positions, count, flip)
    case BytesTest.StartsWith(part) =>
      Narrowing.startsWith(block, RowFilter.array(part), positions, count, flip)
    case BytesTest.EndsWith(part) => Narrowing.endsWith(block, RowFilter.array(part), positions, count, flip)
    case BytesTest.Contains(part) => Narrowing.contains(block, RowFilter.array(part), positions, count, flip)
    case set: BytesTest.OneOf => Narrowing.oneOf(block, set.sorted, positions, count, flip)
  }
}

private object RowFilter {
  private def array(bytes: scala.collection.immutable.ArraySeq[Byte]): Array[Byte] = bytes.toArray

  /** Orders the operands of AND and OR by cost. */
  private def cheapestFirst(predicate: Predicate): Predicate = predicate match {
    case Predicate.AllOf(operands) => Predicate.AllOf(operands.map(cheapestFirst).sortBy(cost))
    case Predicate.AnyOf(operands) => Predicate.AnyOf(operands.map(cheapestFirst).sortBy(cost))
    case Predicate.Always | Predicate.Never | Predicate.Unknown => predicate
    case _: Predicate.IsNull | _: Predicate.NotNull | _: Predicate.Passes | _: Predicate.Fails => predicate
  }

  private def cost(predicate: Predicate): Int = predicate match {
    case Predicate.Always | Predicate.Never | Predicate.Unknown => 0
    case Predicate.IsNull(_) | Predicate.NotNull(_) => 1
    case Predicate.Passes(_, test) => cost(test)
    case Predicate.Fails(_, test) => cost(test)
    case Predicate.AllOf(operands) => operands.map(cost).sum
    case Predicate.AnyOf(operands) => operands.map(cost).sum
  }

  private def cost(test: ValueTest): Int = test match {
    case NumberTest.Within(_, _) => 2
    case NumberTest.OneOf(_) => 5
    case BytesTest.SameAs(_) | BytesTest.StartsWith(_) | BytesTest.EndsWith(_) => 4
    case BytesTest.Before(_) | BytesTest.NotAfter(_) | BytesTest.OneOf(_) | BytesTest.Contains(_) => 8
  }
}
