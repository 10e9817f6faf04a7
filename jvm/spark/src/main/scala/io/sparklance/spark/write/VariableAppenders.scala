package io.sparklance.spark.write

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.{SpecializedGetters, UnsafeArrayData, UnsafeRow}
import org.apache.spark.unsafe.Platform

import io.sparklance.LanceUsageException
import io.sparklance.data.{FixedSizeListBlock, ListBlock, NullMask, StructBlock, Utf8, VariableBlock}
import io.sparklance.dataset.blob.BlobWriter
import io.sparklance.schema.JsonbBytes

abstract private class VariableAppender(block: VariableBlock, nulls: NullMask)
    extends ValueAppender(nulls) {
  final def appendSlots(n: Int): Unit = {
    var i = 0
    while (i < n) { block.append(Array.emptyByteArray, 0, 0); i += 1 }
  }
}

/** Appends strings. Refuses invalid UTF-8, because readers do not validate it. */
final private class StringAppender(name: String, block: VariableBlock, nulls: NullMask)
    extends VariableAppender(block, nulls) {

  override def appendAll(rows: RowBuffer, ordinal: Int): Unit = {
    val first = block.length
    rows.appendStrings(ordinal, block)
    rows.appendNulls(ordinal, nulls)
    if (!Utf8.isAscii(block.bytes, block.offsets(first), block.byteLength)) check(first)
  }

  private def check(first: Int): Unit = {
    var i = first
    while (i < block.length) {
      val (from, until) = (block.offsets(i), block.offsets(i + 1))
      if (!Utf8.isValid(block.bytes, from, until))
        throw Fitting.noText(name, Arrays.copyOfRange(block.bytes, from, until))
      i += 1
    }
  }

  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val text = row.getUTF8String(ordinal)
    val size = text.numBytes
    block.reserve(1, size)
    val at = block.byteLength
    text.writeToMemory(block.bytes, Platform.BYTE_ARRAY_OFFSET + at.toLong)
    if (!Utf8.isValid(block.bytes, at, at + size)) throw Fitting.noText(name, text.getBytes)
    block.offsets(block.length + 1) = at + size
    block.advance(1)
  }
}

/** Appends JSON text as JSONB. */
final private class JsonAppender(name: String, block: VariableBlock, nulls: NullMask)
    extends VariableAppender(block, nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val text = row.getUTF8String(ordinal).getBytes
    if (!Utf8.isValid(text, 0, text.length)) throw Fitting.noText(name, text)
    val jsonb =
      try JsonbBytes.of(text)
      catch { case e: LanceUsageException => throw Fitting.noJson(name, new String(text, UTF_8), e) }
    block.append(jsonb, 0, jsonb.length)
  }
}

final private class BinaryAppender(block: VariableBlock, nulls: NullMask)
    extends VariableAppender(block, nulls) {

  override def appendAll(rows: RowBuffer, ordinal: Int): Unit = {
    rows.appendStrings(ordinal, block)
    rows.appendNulls(ordinal, nulls)
  }

  /** Copies the bytes of a row once; its `getBinary` would copy them first. */
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = row match {
    case _: UnsafeRow | _: UnsafeArrayData =>
      val view = row.getUTF8String(ordinal)
      val size = view.numBytes
      block.reserve(1, size)
      view.writeToMemory(block.bytes, Platform.BYTE_ARRAY_OFFSET + block.byteLength.toLong)
      block.offsets(block.length + 1) = block.byteLength + size
      block.advance(1)
    case _ =>
      val bytes = row.getBinary(ordinal)
      block.append(bytes, 0, bytes.length)
  }
}

/** Writes blobs to the file at once, and appends their descriptors. */
final private class BlobAppender(blobs: BlobWriter, descriptors: StructBlock, nulls: NullMask)
    extends ValueAppender(nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit =
    blobs.append(row.getBinary(ordinal))
  def appendSlots(n: Int): Unit = descriptors.appendSlots(n)
}

final private class FixedSizeListAppender(
    name: String,
    block: FixedSizeListBlock,
    nulls: NullMask,
    items: ValueAppender
) extends ValueAppender(nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val list = row.getArray(ordinal)
    if (list.numElements() != block.dimension)
      throw Fitting.misfit(name, s"an array of ${list.numElements()}", s"a list of ${block.dimension} items")
    var i = 0
    while (i < block.dimension) { items.append(list, i); i += 1 }
    block.advance(1)
  }

  def appendSlots(n: Int): Unit = {
    items.appendSlots(n * block.dimension)
    block.advance(n)
  }
}

final private class StructAppender(children: Array[ValueAppender], block: StructBlock, nulls: NullMask)
    extends ValueAppender(nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val struct = row.getStruct(ordinal, children.length)
    var i = 0
    while (i < children.length) { children(i).append(struct, i); i += 1 }
    block.advance(1)
  }

  def appendSlots(n: Int): Unit = block.appendSlots(n)
}

final private class ListAppender(items: ValueAppender, block: ListBlock, nulls: NullMask)
    extends ValueAppender(nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val list = row.getArray(ordinal)
    val count = list.numElements()
    var i = 0
    while (i < count) { items.append(list, i); i += 1 }
    block.endList()
  }

  def appendSlots(n: Int): Unit = block.appendSlots(n)
}

final private class MapAppender(
    keys: ValueAppender,
    values: ValueAppender,
    entries: StructBlock,
    block: ListBlock,
    nulls: NullMask
) extends ValueAppender(nulls) {
  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit = {
    val map = row.getMap(ordinal)
    val (keyArray, valueArray) = (map.keyArray(), map.valueArray())
    val count = map.numElements()
    var i = 0
    while (i < count) {
      keys.append(keyArray, i)
      values.append(valueArray, i)
      i += 1
    }
    entries.advance(count)
    block.items.nulls.appendValid(count)
    block.endList()
  }

  def appendSlots(n: Int): Unit = block.appendSlots(n)
}
