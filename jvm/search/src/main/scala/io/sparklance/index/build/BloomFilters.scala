package io.sparklance.index.build

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
  VariableBlock
}
import io.sparklance.index.bloom.{BlockBloomFilter, XxHash64}
import io.sparklance.schema.LogicalType
import io.sparklance.schema.LogicalType._

/** The Bloom filter of a zone. */
final private[sparklance] class BloomFilter(size: Int) {
  private val bytes = new Array[Byte](size)
  private var nulls = false

  def hasNull: Boolean = nulls
  def addNull(): Unit = nulls = true
  def add(hash: Long): Unit = BlockBloomFilter.add(bytes, hash)
  def toBytes: Array[Byte] = bytes
}

private[sparklance] object BloomFilter {
  final private val MaxBytes = 128 << 20

  /** Items for which the sum over a block's load is computed, as the reference does. */
  final private val MaxLoad = 750

  /** Default number of rows of a zone, and of false positives. */
  final val Items = 8192L
  final val Probability = 0.00057

  /** Returns the smallest power of two of bytes whose filters have at most `probability` false positives
    * after `items` values.
    */
  def sizeFor(items: Long, probability: Double): Int =
    Iterator.iterate(BlockBloomFilter.BlockBytes)(_ * 2).find(size =>
      size >= MaxBytes || rate(items, size) <= probability
    ).get

  private def rate(items: Long, size: Int): Double =
    if (items / (8.0 * size) > 2) 1
    else {
      val load = 8.0 * BlockBloomFilter.BlockBytes * items / (8.0 * size)
      // The probability that a block has i values, from its logarithm: the first may be too small for a
      // double.
      var logarithm = -load
      var sum = 0.0
      var i = 0
      while (i < MaxLoad) {
        sum += math.exp(logarithm) * math.pow(1 - math.pow(31.0 / 32, i.toDouble), 8)
        i += 1
        logarithm += math.log(load) - math.log(i.toDouble)
      }
      sum
    }
}

/** Hashes values as bloom filters of indices do: XXH64 of their bytes. */
final private[sparklance] class BloomHashes {
  private val buffer = new Array[Byte](8)

  def of(values: DataBlock, i: Int): Long = values match {
    case block: Fixed8Block => number(block.values(i).toLong, 1)
    case block: Fixed16Block => number(block.values(i).toLong, 2)
    case block: Fixed32Block => number(block.values(i).toLong, 4)
    case block: Fixed64Block => number(block.values(i), 8)
    case block: VariableBlock =>
      XxHash64.hash(block.bytes, block.offsets(i), block.offsets(i + 1) - block.offsets(i))
    case _: FixedBytesBlock | _: FixedSizeListBlock | _: NestedBlock =>
      throw new IllegalStateException(s"no hashes: ${values.getClass}")
  }

  private def number(bits: Long, width: Int): Long = {
    LittleEndian.putLong(buffer, 0, bits)
    XxHash64.hash(buffer, 0, width)
  }
}

private[sparklance] object BloomHashes {

  /** Whether bloom filters can hold values of a type. */
  def fit(logicalType: LogicalType): Boolean = logicalType match {
    case Integer(_, _) | FloatingPoint(32 | 64) | Utf8(_) | Binary(_) | Date32 | Date64 | Time(_) |
        Timestamp(_, _) =>
      true
    case Null | Bool | FloatingPoint(_) | BFloat16 | Decimal(_, _, _) | FixedSizeBinary(_) | Duration(_) |
        FixedSizeList(_, _) | Struct | List(_, _) | Map | Dictionary(_, _) | Json | Blob | Unknown(_) =>
      false
  }
}
