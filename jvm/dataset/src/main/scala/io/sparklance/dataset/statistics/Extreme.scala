package io.sparklance.dataset.statistics

import java.util.Arrays

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
  def isTold(bounds: ZoneFacts, zone: Int): Boolean

  /** Adds such a bound. */
  def addBound(bounds: ZoneFacts, zone: Int): Unit

  /** Whether a zone may hold a value that improves the answer, by its bounds. */
  def mayChange(bounds: ZoneFacts, zone: Int): Boolean

  /** Compares two non-empty zones: less than 0 if the first is more promising. */
  def compare(bounds: ZoneFacts, zone: Int, others: ZoneFacts, other: Int): Int

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

/** Extreme of byte strings. */
final private class BytesExtreme(end: End, found: DataBlock) extends Extreme(found) {
  private val kept = found.asInstanceOf[VariableBlock]

  def add(values: DataBlock, positions: Array[Int], count: Int): Unit = {
    val block = values.asInstanceOf[VariableBlock]
    var i = 0
    while (i < count) {
      val at = positions(i)
      if (isBefore(block.bytes, block.offsets(at), block.offsets(at + 1))) keep(values, at)
      i += 1
    }
  }

  private def isBefore(bytes: Array[Byte], from: Int, to: Int): Boolean = kept.length == 0 || {
    val order = Arrays.compareUnsigned(bytes, from, to, kept.bytes, 0, kept.byteLength)
    end match {
      case End.Least => order < 0
      case End.Greatest => order > 0
    }
  }

  def isTold(bounds: ZoneFacts, zone: Int): Boolean = (bounds, end) match {
    case (bytes: ZoneFacts.Bytes, End.Least) => bytes.exactness.least(zone)
    case (bytes: ZoneFacts.Bytes, End.Greatest) => bytes.exactness.most(zone)
    case (_: ZoneFacts.Numbers | ZoneFacts.Unknown, _) => false
  }

  def addBound(bounds: ZoneFacts, zone: Int): Unit = if (mayChange(bounds, zone))
    bound(bounds, zone).foreach {
      value =>
        kept.clear()
        kept.append(value, 0, value.length)
    }

  def mayChange(bounds: ZoneFacts, zone: Int): Boolean =
    bound(bounds, zone).forall(value => isBefore(value, 0, value.length))

  def compare(bounds: ZoneFacts, zone: Int, others: ZoneFacts, other: Int): Int =
    (bound(bounds, zone), bound(others, other)) match {
      case (Some(a), Some(b)) =>
        end match {
          case End.Least => Arrays.compareUnsigned(a, b)
          case End.Greatest => Arrays.compareUnsigned(b, a)
        }
      case (a, b) => a.size - b.size
    }

  /** Returns the bound of a zone, or None without one. */
  private def bound(bounds: ZoneFacts, zone: Int): Option[Array[Byte]] = (bounds, end) match {
    case (bytes: ZoneFacts.Bytes, End.Least) => Some(bytes.least(zone))
    case (bytes: ZoneFacts.Bytes, End.Greatest) =>
      bytes.most(zone) match {
        case ZoneFacts.AtMost(value) => Some(value)
        case ZoneFacts.Unbounded => None
      }
    case (_: ZoneFacts.Numbers | ZoneFacts.Unknown, _) => None
  }
}
