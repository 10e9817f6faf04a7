package io.sparklance.data

import java.nio.{ByteBuffer, ByteOrder}

/** Columns as bytes, for temporary files of one machine:
  * {{{
  * column   rows (i32) | nulls | values
  * nulls    1 if any (u8), then a validity bit for each value
  * values   fixed width: the array; byte strings: ends (i32 each), bytes; lists: ends (i32 each), items as a column;
  *          fixed-size lists: items, nulls of items; structs: a column for each field
  * }}}
  */
private[sparklance] object ColumnBytes {

  def write(column: Column): ByteBuffer = {
    val bytes = ByteBuffer.allocate(Math.toIntExact(size(column))).order(ByteOrder.nativeOrder)
    put(column, bytes)
    bytes.flip()
  }

  /** Appends the values of a column of the same shape. */
  def read(bytes: ByteBuffer, to: Column): Unit = get(bytes.order(ByteOrder.nativeOrder), to)

  private def size(column: Column): Long =
    4L + sizeOfNulls(column.nulls, column.length) + sizeOf(column.values)

  private def sizeOfNulls(nulls: NullMask, n: Int): Long = if (nulls.hasNulls) 1L + (n + 7L) / 8 else 1L

  private def sizeOf(values: DataBlock): Long = values match {
    case fixed: FixedBlock => fixed.sizeInBytes
    case strings: VariableBlock => 4L * strings.length + strings.byteLength
    case lists: FixedSizeListBlock =>
      sizeOf(lists.items) + sizeOfNulls(lists.itemNulls, lists.length * lists.dimension)
    case structs: StructBlock => structs.children.iterator.map(size).sum
    case lists: ListBlock => 4L * lists.length + size(lists.items)
  }

  private def put(column: Column, to: ByteBuffer): Unit = {
    to.putInt(column.length)
    putNulls(column.nulls, column.length, to)
    putValues(column.values, to)
  }

  private def putNulls(nulls: NullMask, n: Int, to: ByteBuffer): Unit =
    if (!nulls.hasNulls) { val _ = to.put(0.toByte) }
    else {
      to.put(1.toByte)
      val bitmap = new Array[Byte]((n + 7) / 8)
      nulls.writeValidity(0, n, bitmap, 0)
      val _ = to.put(bitmap)
    }

  private def putValues(values: DataBlock, to: ByteBuffer): Unit = values match {
    case block: Fixed8Block => val _ = to.put(block.values, 0, block.length)
    case block: Fixed16Block =>
      to.asShortBuffer.put(block.values, 0, block.length)
      skip(to, 2L * block.length)
    case block: Fixed32Block => putInts(block.values, 0, block.length, to)
    case block: Fixed64Block =>
      to.asLongBuffer.put(block.values, 0, block.length)
      skip(to, 8L * block.length)
    case block: FixedBytesBlock => val _ = to.put(block.bytes, 0, block.length * block.width)
    case strings: VariableBlock =>
      putInts(strings.offsets, 1, strings.length, to)
      val _ = to.put(strings.bytes, 0, strings.byteLength)
    case lists: FixedSizeListBlock =>
      putValues(lists.items, to)
      putNulls(lists.itemNulls, lists.length * lists.dimension, to)
    case structs: StructBlock => structs.children.foreach(put(_, to))
    case lists: ListBlock =>
      putInts(lists.offsets, 1, lists.length, to)
      put(lists.items, to)
  }

  private def putInts(values: Array[Int], from: Int, n: Int, to: ByteBuffer): Unit = {
    to.asIntBuffer.put(values, from, n)
    skip(to, 4L * n)
  }

  private def get(bytes: ByteBuffer, to: Column): Unit = {
    val n = bytes.getInt
    getNulls(bytes, n, to.nulls)
    getValues(bytes, n, to.values)
  }

  private def getNulls(bytes: ByteBuffer, n: Int, to: NullMask): Unit =
    if (bytes.get() == 0) to.appendValid(n)
    else {
      val bitmap = new Array[Byte]((n + 7) / 8)
      bytes.get(bitmap)
      to.appendValidity(bitmap, 0, n)
    }

  private def getValues(bytes: ByteBuffer, n: Int, to: DataBlock): Unit = to match {
    case block: Fixed8Block =>
      val at = block.extend(n)
      val _ = bytes.get(block.values, at, n)
    case block: Fixed16Block =>
      val at = block.extend(n)
      bytes.asShortBuffer.get(block.values, at, n)
      skip(bytes, 2L * n)
    case block: Fixed32Block =>
      val at = block.extend(n)
      getInts(bytes, block.values, at, n)
    case block: Fixed64Block =>
      val at = block.extend(n)
      bytes.asLongBuffer.get(block.values, at, n)
      skip(bytes, 8L * n)
    case block: FixedBytesBlock =>
      val at = block.extend(n)
      val _ = bytes.get(block.bytes, at * block.width, n * block.width)
    case strings: VariableBlock => getStrings(bytes, n, strings)
    case lists: FixedSizeListBlock =>
      getValues(bytes, n * lists.dimension, lists.items)
      getNulls(bytes, n * lists.dimension, lists.itemNulls)
      lists.advance(n)
    case structs: StructBlock =>
      structs.children.foreach(get(bytes, _))
      structs.advance(n)
    case lists: ListBlock =>
      lists.reserve(n)
      getEnds(bytes, lists.offsets, lists.length, n)
      get(bytes, lists.items)
      lists.advance(n)
  }

  private def getStrings(bytes: ByteBuffer, n: Int, to: VariableBlock): Unit = {
    val size = if (n == 0) 0 else bytes.getInt(bytes.position() + 4 * (n - 1))
    val start = to.byteLength
    to.reserve(n, size)
    getEnds(bytes, to.offsets, to.length, n)
    bytes.get(to.bytes, start, size)
    to.advance(n)
  }

  /** Reads the ends of values that follow `length` others. */
  private def getEnds(bytes: ByteBuffer, offsets: Array[Int], length: Int, n: Int): Unit = {
    getInts(bytes, offsets, length + 1, n)
    val base = offsets(length)
    var i = length + 1
    while (i <= length + n) {
      offsets(i) += base
      i += 1
    }
  }

  private def getInts(bytes: ByteBuffer, into: Array[Int], at: Int, n: Int): Unit = {
    bytes.asIntBuffer.get(into, at, n)
    skip(bytes, 4L * n)
  }

  private def skip(bytes: ByteBuffer, n: Long): Unit = {
    val _ = bytes.position(bytes.position() + n.toInt)
  }
}
