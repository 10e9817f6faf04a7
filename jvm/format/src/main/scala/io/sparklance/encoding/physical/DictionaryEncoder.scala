package io.sparklance.encoding.physical

import java.util.Arrays

import io.sparklance.data.{
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  LittleEndian,
  NestedBlock,
  NullMask,
  VariableBlock
}

/** Finds the distinct values of a page. [[DictionaryValues]] is the inverse. */
private[encoding] object DictionaryEncoder {

  /** @param positions each value's position among `items`, which are in the order of first occurrence */
  final case class Encoded(positions: Fixed32Block, items: DataBlock)

  /** @param maxBytes largest size of the items, without their offsets */
  final case class Limits(maxItems: Int, maxBytes: Long)

  def isFor(values: DataBlock): Boolean = values match {
    case _: Fixed64Block | _: VariableBlock => true
    case block: FixedBytesBlock => block.width == 16
    case _: Fixed8Block | _: Fixed16Block | _: Fixed32Block | _: FixedSizeListBlock | _: NestedBlock => false
  }

  /** Returns None if there are more distinct values than the limits allow, or nulls only. Nulls have position 0.
    */
  def encode(values: DataBlock, limits: Limits, nulls: NullMask = new NullMask): Option[Encoded] = {
    val positions = new Fixed32Block
    val _ = positions.extend(values.length)
    val table = new DistinctValues(values, limits)
    val fits = if (nulls.hasNulls) table.number(positions.values, nulls) else table.number(positions.values)
    Option.when(fits)(Encoded(positions, table.items))
  }

  /** Estimates the number of distinct values from a sample. Too low if equal values are adjacent. */
  def estimate(values: DataBlock): Long = {
    val sampled = math.min(values.length, Sample)
    val table = new DistinctValues(values, Limits(sampled, Long.MaxValue))
    val seen = table.countSample(sampled, Stretch).toDouble
    if (sampled == values.length) seen.toLong else amongAll(seen, sampled.toDouble, values.length.toDouble)
  }

  /** Inverts n(1 - e^(-s/n)), the distinct values that a sample of size s shows of `n` equally likely ones.
    */
  private def amongAll(seen: Double, sampled: Double, length: Double): Long =
    if (seen >= sampled) length.toLong
    else {
      var low = seen
      var high = 1e10
      while (high - low > low / 100) {
        val n = (low + high) / 2
        if (expected(n, sampled) < seen) low = n else high = n
      }
      math.round(expected(high, length))
    }

  private def expected(n: Double, drawn: Double): Double = -n * Math.expm1(-drawn / n)

  final private val Sample = 4096
  final private val Stretch = 32
}

/** A hash table of a block's values, numbered by first occurrence. */
final private class DistinctValues(values: DataBlock, limits: DictionaryEncoder.Limits) {

  /** The number of a value plus one, or 0, for each slot; at least half of the slots stay empty. */
  private val slots = new Array[Int](Integer.highestOneBit(math.max(8, limits.maxItems)) * 4)
  private val firsts = new Array[Int](limits.maxItems + 1)
  private var count = 0
  private var bytes = 0L

  /** Writes each value's number to `out`. Returns false if there are too many distinct values. */
  def number(out: Array[Int]): Boolean = {
    val n = values.length
    var i = 0
    values match {
      case block: Fixed64Block => while (i < n && fits) { out(i) = numberOf(block, i); i += 1 }
      case block: FixedBytesBlock => while (i < n && fits) { out(i) = numberOf(block, i); i += 1 }
      case block: VariableBlock => while (i < n && fits) { out(i) = numberOf(block, i); i += 1 }
      case other => Widths.mismatch("values for a dictionary", other)
    }
    fits
  }

  /** Leaves the numbers of nulls as they are. Also false if there are no values. */
  def number(out: Array[Int], nulls: NullMask): Boolean = {
    var i = 0
    while (i < values.length && fits) {
      if (!nulls.isNull(i)) out(i) = values match {
        case block: Fixed64Block => numberOf(block, i)
        case block: FixedBytesBlock => numberOf(block, i)
        case block: VariableBlock => numberOf(block, i)
        case other => Widths.mismatch("values for a dictionary", other)
      }
      i += 1
    }
    fits && count > 0
  }

  private def fits: Boolean = count <= limits.maxItems && bytes <= limits.maxBytes

  /** Counts the distinct values among `n`, sampled in runs from all over the block. */
  def countSample(n: Int, stretch: Int): Int = {
    val stretches = math.max(1, n / stretch)
    var i = 0
    while (i < n) {
      val at = ((i / stretch).toLong * (values.length - stretch) / stretches).toInt + i % stretch
      val row = if (n == values.length) i else at
      val _ = values match {
        case block: Fixed64Block => numberOf(block, row)
        case block: FixedBytesBlock => numberOf(block, row)
        case block: VariableBlock => numberOf(block, row)
        case other => Widths.mismatch("values for a dictionary", other)
      }
      i += 1
    }
    count
  }

  /** The distinct values, in the order of their numbers. */
  def items: DataBlock = values match {
    case block: Fixed64Block =>
      val items = new Fixed64Block
      (0 until count).foreach(i => items.append(block.values(firsts(i))))
      items
    case block: FixedBytesBlock =>
      val items = new FixedBytesBlock(block.width)
      val _ = items.extend(count)
      (0 until count).foreach { i =>
        System.arraycopy(block.bytes, firsts(i) * block.width, items.bytes, i * block.width, block.width)
      }
      items
    case block: VariableBlock =>
      val items = new VariableBlock
      (0 until count).foreach { i =>
        val start = block.offsets(firsts(i))
        items.append(block.bytes, start, block.offsets(firsts(i) + 1) - start)
      }
      items
    case other => Widths.mismatch("values for a dictionary", other)
  }

  private def numberOf(block: Fixed64Block, i: Int): Int = {
    val value = block.values(i)
    var slot = slotOf(value * DistinctValues.Factor)
    while (slots(slot) != 0 && block.values(firsts(slots(slot) - 1)) != value)
      slot = slot + 1 & slots.length - 1
    if (slots(slot) != 0) slots(slot) - 1 else add(slot, i, 8)
  }

  private def numberOf(block: FixedBytesBlock, i: Int): Int = {
    val (width, at) = (block.width, i * block.width)
    var slot = slotOf(DistinctValues.hash(block.bytes, at, width))
    while (slots(slot) != 0 && !same(block.bytes, firsts(slots(slot) - 1) * width, at, width))
      slot = slot + 1 & slots.length - 1
    if (slots(slot) != 0) slots(slot) - 1 else add(slot, i, width)
  }

  private def numberOf(block: VariableBlock, i: Int): Int = {
    val at = block.offsets(i)
    val size = block.offsets(i + 1) - at
    var slot = slotOf(DistinctValues.hash(block.bytes, at, size))
    while (slots(slot) != 0 && !isAt(block, firsts(slots(slot) - 1), at, size))
      slot = slot + 1 & slots.length - 1
    if (slots(slot) != 0) slots(slot) - 1 else add(slot, i, size)
  }

  private def isAt(block: VariableBlock, first: Int, at: Int, size: Int): Boolean = {
    val start = block.offsets(first)
    block.offsets(first + 1) - start == size && same(block.bytes, start, at, size)
  }

  private def same(bytes: Array[Byte], a: Int, b: Int, size: Int): Boolean =
    Arrays.equals(bytes, a, a + size, bytes, b, b + size)

  private def slotOf(hash: Long): Int = (hash >>> 32).toInt & slots.length - 1

  private def add(slot: Int, row: Int, size: Int): Int = {
    firsts(count) = row
    count += 1
    slots(slot) = count
    bytes += size
    count - 1
  }
}

private object DistinctValues {
  final private[physical] val Factor = 0x9e3779b97f4a7c15L

  def hash(bytes: Array[Byte], from: Int, size: Int): Long = {
    val end = from + size
    var hash = size.toLong
    var at = from
    while (at + 8 <= end) {
      val word: Long = LittleEndian.LONG.get(bytes, at)
      hash = (hash ^ word) * Factor
      hash ^= hash >>> 29
      at += 8
    }
    if (at < end) hash = (hash ^ FsstSymbols.word(bytes, at, end - at)) * Factor
    (hash ^ hash >>> 32) * Factor
  }
}
