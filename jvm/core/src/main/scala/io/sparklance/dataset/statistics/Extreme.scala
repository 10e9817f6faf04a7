package io.sparklance.dataset.statistics

import io.sparklance.data.{
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  NestedBlock,
  VariableBlock
}
import io.sparklance.dataset.predicate.NumberKeys
import io.sparklance.schema.LogicalType

/** End of the order of values: minimum or maximum. */
sealed private[sparklance] trait End extends Product with Serializable

private[sparklance] object End {
  case object Least extends End
  case object Greatest extends End
}

/** Finds the least or the greatest of the values that it is shown. Of values that are alike it keeps the
  * first: zeroes are, and NaNs, which are above all numbers.
  *
  * @param found
  *   is empty, and gets the value, as it is stored
  */
abstract private[dataset] class Extreme(val found: DataBlock) {

  /** Adds the values at `positions[0 until count]`. */
  def add(values: DataBlock, positions: Array[Int], count: Int): Unit

  /** Whether the bound of a non-empty zone is one of its values. */
  def isTold(bounds: ZoneBounds, zone: Int): Boolean

  /** Adds such a bound. */
  def addBound(bounds: ZoneBounds, zone: Int): Unit

  /** Whether a zone may hold a value that improves the answer, by its bounds. */
  def mayChange(bounds: ZoneBounds, zone: Int): Boolean

  /** Compares two non-empty zones: less than 0 if the first is more promising. */
  def compare(bounds: ZoneBounds, zone: Int, others: ZoneBounds, other: Int): Int

  final protected def keep(values: DataBlock, at: Int): Unit = {
    found.clear()
    Extreme.copy(values, at, found)
  }
}

private[dataset] object Extreme {

  /** Returns None for types without an order here.
    *
    * @param found
    *   an empty block for values of the type
    */
  def of(logicalType: LogicalType, end: End, found: DataBlock): Option[Extreme] = logicalType match {
    case LogicalType.Dictionary(value, _) => of(value, end, found)
    case LogicalType.Decimal(_, precision, _) if precision > 18 =>
      NumberKeys.of(logicalType).map(new LongDecimalExtreme(_, end, found))
    case _ if BoundsCollector.isBytes(logicalType) => Some(new BytesExtreme(end, found))
    case _ => NumberKeys.of(logicalType).map(new NumberExtreme(_, end, found))
  }

  /** Returns a mask that reverses the order of longs for maxima: `key ^ mask(end)`. */
  def mask(end: End): Long = end match {
    case End.Least => 0L
    case End.Greatest => -1L
  }

  private def copy(from: DataBlock, at: Int, to: DataBlock): Unit = (from, to) match {
    case (a: Fixed8Block, b: Fixed8Block) => b.append(a.values(at))
    case (a: Fixed16Block, b: Fixed16Block) => b.append(a.values(at))
    case (a: Fixed32Block, b: Fixed32Block) => b.append(a.values(at))
    case (a: Fixed64Block, b: Fixed64Block) => b.append(a.values(at))
    case (a: FixedBytesBlock, b: FixedBytesBlock) =>
      System.arraycopy(a.bytes, at * a.width, b.bytes, b.extend(1) * b.width, a.width)
    case (a: VariableBlock, b: VariableBlock) =>
      b.append(a.bytes, a.offsets(at), a.offsets(at + 1) - a.offsets(at))
    case (
          _: Fixed8Block | _: Fixed16Block | _: Fixed32Block | _: Fixed64Block | _: FixedBytesBlock |
          _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock,
          _
        ) =>
      throw new IllegalStateException(s"a value of ${from.getClass} is none of ${to.getClass}")
  }
}
