package io.sparklance.dataset.grouping

import java.util.Arrays

import io.sparklance.data.{Column, LittleEndian, VariableBlock}
import io.sparklance.dataset.predicate.NumberKeys
import io.sparklance.schema.{Leaf, LogicalType}

/** Numbers the different values of a key. Nulls have the number -1. */
sealed abstract private class KeyColumn(val leaf: Leaf) {

  /** Writes the numbers of the batch's values to `out`. */
  def number(batch: LeafBatch, out: Array[Int]): Unit

  /** Appends the value with a number, which is not -1. */
  protected def append(number: Int, to: Column): Unit

  /** Bytes of the values. */
  def sizeInBytes: Long

  /** Bytes of the longest value. */
  def longest: Int

  /** Forgets all values, and room for many more than `expected` ones. */
  def clear(expected: Int): Unit

  /** Appends the values with `numbers[0 until n]`. */
  final def append(numbers: Array[Int], n: Int, to: Column): Unit = {
    var i = 0
    while (i < n) {
      if (numbers(i) < 0) to.appendNulls(1)
      else {
        append(numbers(i), to)
        to.nulls.appendValid(1)
      }
      i += 1
    }
  }
}

private object KeyColumn {

  /** Returns None for types that are neither numbers of at most 64 bits nor byte strings. */
  def of(leaf: Leaf): Option[KeyColumn] = leaf.field.logicalType match {
    case LogicalType.Utf8(_) | LogicalType.Binary(_) => Some(new Bytes(leaf))
    case LogicalType.Dictionary(LogicalType.Utf8(_) | LogicalType.Binary(_), _) => Some(new Bytes(leaf))
    case _ => GroupAggregate.numbers(leaf).map(new Numbers(leaf, _))
  }

  final private class Numbers(leaf: Leaf, keys: NumberKeys) extends KeyColumn(leaf) {
    private val numbering = new LongNumbering

    def number(batch: LeafBatch, out: Array[Int]): Unit = {
      val values = batch.keys(leaf, keys)
      val nulls = batch.nulls(leaf)
      if (nulls == null) numbering.number(values, batch.rows, out)
      else numbering.numberValid(values, nulls, batch.rows, out)
    }
    protected def append(number: Int, to: Column): Unit = keys.append(numbering.value(number), to.values)
    def sizeInBytes: Long = 8L * numbering.size
    def longest: Int = 8
    def clear(expected: Int): Unit = numbering.clear(expected)
  }

  final private class Bytes(leaf: Leaf) extends KeyColumn(leaf) {
    private val numbering = new BytesNumbering

    def number(batch: LeafBatch, out: Array[Int]): Unit =
      numbering.number(batch.values(leaf).asInstanceOf[VariableBlock], batch.nulls(leaf), batch.rows, out)
    protected def append(number: Int, to: Column): Unit =
      numbering.append(number, to.values.asInstanceOf[VariableBlock])
    def sizeInBytes: Long = numbering.sizeInBytes
    def longest: Int = numbering.longest
    def clear(expected: Int): Unit = numbering.clear(expected)
  }
}

/** Numbers different byte strings in the order of their first appearance. */
final private class BytesNumbering {
  // A slot has a number plus 1, or 0 if it is free. At most half of the slots are taken.
  private var slots = new Array[Int](HashSlots.Fewest)
  private var hashes = new Array[Int](slots.length / 2)
  private val numbered = new VariableBlock
  private var most = 0

  def size: Int = numbered.length

  /** Bytes of the longest string. */
  def longest: Int = most

  /** Bytes of all strings. */
  def sizeInBytes: Long = numbered.sizeInBytes

  /** Appends the string with a number. */
  def append(number: Int, to: VariableBlock): Unit = {
    val from = numbered.offsets(number)
    to.append(numbered.bytes, from, numbered.offsets(number + 1) - from)
  }

  /** Writes the numbers of the first `n` values to `out`, and -1 for nulls.
    *
    * @param nulls
    *   null if there are none
    */
  def number(values: VariableBlock, nulls: Array[Boolean], n: Int, out: Array[Int]): Unit = {
    reserve(size + n)
    val bytes = values.bytes
    val offsets = values.offsets
    var last = -1
    var i = 0
    while (i < n) {
      if (nulls != null && nulls(i)) out(i) = -1
      else {
        val from = offsets(i)
        val length = offsets(i + 1) - from
        if (last < 0 || !isNumbered(last, bytes, from, length)) last = find(bytes, from, length)
        out(i) = last
      }
      i += 1
    }
  }

  /** Forgets all numbers, and arrays for many more than `expected` ones. */
  def clear(expected: Int): Unit = {
    val enough = HashSlots.of(expected)
    if (slots.length > enough) {
      slots = new Array[Int](enough)
      hashes = new Array[Int](enough / 2)
    } else Arrays.fill(slots, 0)
    most = 0
    numbered.clear()
    numbered.release(BytesNumbering.KeptBytes)
  }

  private def find(bytes: Array[Byte], from: Int, length: Int): Int = {
    val hash = BytesNumbering.hash(bytes, from, length)
    val mask = slots.length - 1
    var at = hash & mask
    while (
      slots(at) != 0 && !(hashes(slots(at) - 1) == hash && isNumbered(slots(at) - 1, bytes, from, length))
    )
      at = at + 1 & mask
    if (slots(at) == 0) {
      hashes(size) = hash
      numbered.append(bytes, from, length)
      most = math.max(most, length)
      slots(at) = size
    }
    slots(at) - 1
  }

  private def isNumbered(number: Int, bytes: Array[Byte], from: Int, length: Int): Boolean = {
    val start = numbered.offsets(number)
    val end = numbered.offsets(number + 1)
    end - start == length && Arrays.equals(numbered.bytes, start, end, bytes, from, from + length)
  }

  private def reserve(needed: Int): Unit = if (needed > hashes.length) {
    slots = new Array[Int](HashSlots.of(needed))
    hashes = Arrays.copyOf(hashes, slots.length / 2)
    val mask = slots.length - 1
    var i = 0
    while (i < size) {
      var at = hashes(i) & mask
      while (slots(at) != 0) at = at + 1 & mask
      i += 1
      slots(at) = i
    }
  }
}

private object BytesNumbering {
  final private val KeptBytes = 1L << 20

  /** Mixes eight bytes at a time, and the rest one by one. */
  private def hash(bytes: Array[Byte], from: Int, length: Int): Int = {
    var hash = length.toLong
    var at = from
    val end = from + length
    while (at + 8 <= end) {
      hash = (hash ^ LittleEndian.long(bytes, at)) * HashSlots.Factor
      hash ^= hash >>> 32
      at += 8
    }
    while (at < end) {
      hash = (hash ^ bytes(at)) * HashSlots.Factor
      hash ^= hash >>> 32
      at += 1
    }
    (hash ^ hash >>> 17).toInt
  }
}
