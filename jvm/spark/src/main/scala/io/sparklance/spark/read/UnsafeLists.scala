package io.sparklance.spark.read

import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData
import org.apache.spark.unsafe.Platform

import io.sparklance.data._

/** Lays out fixed-size lists of numbers, one after the other in the same place, as Spark does in its rows:
  * {{{
  * u64 number of items | a bit for each item, 1 if it is null, in words of 64 bits | items | padding to 8 bytes
  * }}}
  * The place is an array of the same kind as that of the items.
  */
final private class UnsafeLists(dimension: Int) {
  private val headerBytes = UnsafeArrayData.calculateHeaderPortionInBytes(dimension)
  private val list = new UnsafeArrayData
  private var itemBytes = 0
  private var bytes = Array.emptyByteArray
  private var shorts = Array.emptyShortArray
  private var ints = Array.emptyIntArray
  private var longs = Array.emptyLongArray

  /** Returns list `row` of the block, valid until the next call. */
  def at(lists: FixedSizeListBlock, row: Int): UnsafeArrayData = {
    val from = row * dimension
    lists.items match {
      case items: Fixed8Block =>
        if (bytes.length == 0) bytes = new Array[Byte](size(1))
        System.arraycopy(items.values, from, bytes, headerBytes, dimension)
        pointTo(bytes, Platform.BYTE_ARRAY_OFFSET, 1)
      case items: Fixed16Block =>
        if (shorts.length == 0) shorts = new Array[Short](size(2) / 2)
        System.arraycopy(items.values, from, shorts, headerBytes / 2, dimension)
        pointTo(shorts, Platform.SHORT_ARRAY_OFFSET, 2)
      case items: Fixed32Block =>
        if (ints.length == 0) ints = new Array[Int](size(4) / 4)
        System.arraycopy(items.values, from, ints, headerBytes / 4, dimension)
        pointTo(ints, Platform.INT_ARRAY_OFFSET, 4)
      case items: Fixed64Block =>
        if (longs.length == 0) longs = new Array[Long](size(8) / 8)
        System.arraycopy(items.values, from, longs, headerBytes / 8, dimension)
        pointTo(longs, Platform.LONG_ARRAY_OFFSET, 8)
      case other @ (_: FixedBytesBlock | _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock) =>
        throw new IllegalStateException(s"no numbers: ${other.getClass}")
    }
    if (lists.itemNulls.hasNulls) markNulls(lists.itemNulls, from)
    list
  }

  /** Bytes of a list, padded. */
  private def size(itemBytes: Int): Int = headerBytes + (itemBytes * dimension + 7 & ~7)

  private def pointTo(array: AnyRef, offset: Int, width: Int): Unit = {
    itemBytes = width
    Platform.putLong(array, offset.toLong, dimension.toLong)
    Platform.setMemory(array, offset + 8L, headerBytes - 8L, 0.toByte)
    list.pointTo(array, offset.toLong, size(width))
  }

  /** Sets the null bits and zeroes the values of nulls, because Spark compares rows by their bytes. */
  private def markNulls(nulls: NullMask, from: Int): Unit = {
    val items = list.getBaseOffset + headerBytes
    var i = 0
    while (i < dimension) {
      if (nulls.isNull(from + i)) {
        list.setNullAt(i)
        Platform.setMemory(list.getBaseObject, items + i.toLong * itemBytes, itemBytes.toLong, 0.toByte)
      }
      i += 1
    }
  }
}
