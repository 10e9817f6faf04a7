package io.sparklance.spark.write

import java.lang.invoke.{MethodHandles, VarHandle}
import java.nio.ByteOrder
import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

import io.sparklance.data.{
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBlock,
  FixedBytesBlock,
  NullMask,
  VariableBlock
}

/** Buffered rows, back to back, in Spark's own form:
  *
  * {{{
  * | a bit for each field, 1 for a null, in words of 8 bytes | a word for each field | targets of words, in words |
  * }}}
  * The word of a fixed-width field begins with the value. That of a string is its position in the row << 32 |
  * its size. Numbers are in the machine's byte order.
  *
  * Appending many rows column by column takes a fraction of the time of row by row.
  */
final private[spark] class RowBuffer(val capacity: Int) {
  private val bytes = new Array[Byte](capacity)
  private val starts = new Array[Int](RowBuffer.MaxRows)
  private var count = 0
  private var end = 0
  private var passed = 0L
  private var view = new UnsafeRow(0)

  /** Union of all rows' null bits. */
  private var nullBits = Array.emptyLongArray

  def length: Int = count

  /** Number of rows that came before those in the buffer. */
  def before: Long = passed

  /** Counts a row that does not go through the buffer. */
  def pass(): Unit = passed += 1
  def sizeInBytes: Int = end

  def hasRoomFor(row: UnsafeRow): Boolean =
    count < RowBuffer.MaxRows && row.getSizeInBytes <= capacity - end

  /** Adds a row. The caller has checked the capacity; all rows have the same number of fields. */
  def add(row: UnsafeRow): Unit = {
    if (count == 0) prepare(row.numFields)
    row.getBaseObject match {
      case source: Array[Byte] =>
        val from = row.getBaseOffset - Platform.BYTE_ARRAY_OFFSET
        System.arraycopy(source, from.toInt, bytes, end, row.getSizeInBytes)
      case _ => row.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET + end.toLong)
    }
    var i = 0
    while (i < nullBits.length) {
      nullBits(i) |= RowBuffer.long(bytes, end + 8 * i)
      i += 1
    }
    starts(count) = end
    count += 1
    end += row.getSizeInBytes
  }

  private def prepare(fields: Int): Unit =
    if (fields != view.numFields) {
      view = new UnsafeRow(fields)
      nullBits = new Array[Long](UnsafeRow.calculateBitSetWidthInBytes(fields) / 8)
    }

  def clear(): Unit = {
    passed += count
    count = 0
    end = 0
    Arrays.fill(nullBits, 0L)
  }

  /** Returns row `i`, valid until the next call. */
  def row(i: Int): UnsafeRow = {
    val until = if (i + 1 < count) starts(i + 1) else end
    view.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + starts(i).toLong, until - starts(i))
    view
  }

  def hasNulls(ordinal: Int): Boolean = (nullBits(ordinal >> 6) >>> (ordinal & 63) & 1) != 0

  def isNull(i: Int, ordinal: Int): Boolean =
    (RowBuffer.long(bytes, starts(i) + 8 * (ordinal >> 6)) >>> (ordinal & 63) & 1) != 0

  /** Returns the word of a field. */
  def word(i: Int, ordinal: Int): Long = RowBuffer.long(bytes, starts(i) + wordAt(ordinal))

  private def wordAt(ordinal: Int): Int = 8 * (nullBits.length + ordinal)

  def appendNulls(ordinal: Int, to: NullMask): Unit =
    if (!hasNulls(ordinal)) to.appendValid(count)
    else {
      var i = 0
      while (i < count) {
        if (isNull(i, ordinal)) to.appendNull(1) else to.appendValid(1)
        i += 1
      }
    }

  /** Appends the values of a fixed-width field; arbitrary ones below nulls. */
  def appendWords(ordinal: Int, to: FixedBlock): Unit = {
    val at = to.extend(count)
    val in = wordAt(ordinal)
    var i = 0
    to match {
      case block: Fixed8Block =>
        while (i < count) { block.values(at + i) = bytes(starts(i) + in); i += 1 }
      case block: Fixed16Block =>
        while (i < count) { block.values(at + i) = RowBuffer.short(bytes, starts(i) + in); i += 1 }
      case block: Fixed32Block =>
        while (i < count) { block.values(at + i) = RowBuffer.int(bytes, starts(i) + in); i += 1 }
      case block: Fixed64Block =>
        while (i < count) { block.values(at + i) = RowBuffer.long(bytes, starts(i) + in); i += 1 }
      case block: FixedBytesBlock =>
        throw new IllegalArgumentException(s"values of ${block.width} bytes are no words")
    }
  }

  /** Appends the strings of a field; no bytes for nulls. */
  def appendStrings(ordinal: Int, to: VariableBlock): Unit = {
    val in = wordAt(ordinal)
    val first = to.length
    var at = to.byteLength
    to.reserve(count, Math.addExact(stringBytes(ordinal), RowBuffer.Slack))
    val (out, offsets) = (to.bytes, to.offsets)
    var i = 0
    while (i < count) {
      val word = RowBuffer.long(bytes, starts(i) + in)
      val from = starts(i) + (word >>> 32).toInt
      val size = if (isNull(i, ordinal)) 0 else word.toInt
      if (size > RowBuffer.ShortString) System.arraycopy(bytes, from, out, at, size)
      else RowBuffer.copyWords(bytes, from, out, at, size)
      at += size
      offsets(first + i + 1) = at
      i += 1
    }
    to.advance(count)
  }

  private def stringBytes(ordinal: Int): Int = {
    var sum = 0
    var i = 0
    while (i < count) {
      if (!isNull(i, ordinal)) sum += word(i, ordinal).toInt
      i += 1
    }
    sum
  }
}

private[spark] object RowBuffer {
  final val MaxRows = 1024

  /** Largest string that is copied by words rather than by a call. */
  final private val ShortString = 64

  /** Surplus bytes of a copy by words. */
  final private val Slack = 8

  final private val SHORT: VarHandle =
    MethodHandles.byteArrayViewVarHandle(classOf[Array[Short]], ByteOrder.nativeOrder)
  final private val INT: VarHandle =
    MethodHandles.byteArrayViewVarHandle(classOf[Array[Int]], ByteOrder.nativeOrder)
  final private val LONG: VarHandle =
    MethodHandles.byteArrayViewVarHandle(classOf[Array[Long]], ByteOrder.nativeOrder)

  private def short(bytes: Array[Byte], at: Int): Short = { val v: Short = SHORT.get(bytes, at); v }
  private def int(bytes: Array[Byte], at: Int): Int = { val v: Int = INT.get(bytes, at); v }
  private def long(bytes: Array[Byte], at: Int): Long = { val v: Long = LONG.get(bytes, at); v }

  /** Copies by words. Strings in rows are padded to words, so reading beyond them is safe. */
  private def copyWords(from: Array[Byte], fromAt: Int, to: Array[Byte], toAt: Int, size: Int): Unit = {
    var i = 0
    while (i < size) {
      val word: Long = LONG.get(from, fromAt + i)
      LONG.set(to, toAt + i, word)
      i += 8
    }
  }
}
