package io.sparklance.encoding.physical

import io.sparklance.data.{DataBlock, FixedSizeListBlock, NullMask, Slice, ValueShape}
import io.sparklance.encoding.{
  BlockDecompressor,
  FixedValues,
  FixedValuesDecompressor,
  MiniBlockChunk,
  MiniBlockCompressor,
  MiniBlockDecompressor,
  MiniBlockValues
}
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.{CompressiveEncoding, FixedSizeList => FixedSizeListMessage}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Fixed-size lists, stored as their items; lists of lists are nested messages `FixedSizeList`. Each level
  * with nullable items has a bitmap, 1 for valid; nulls among the lists themselves are definition levels.
  *
  * {{{
  * mini-block chunk   a buffer for each bitmap, outer level first | a buffer of the leaves
  * full-zip value     each bitmap, in whole bytes | leaves, in whole bytes
  * }}}
  *
  * In full-zip, the innermost encoding may be `constant` instead of `flat`: all leaves are null, and not
  * stored.
  */
private[sparklance] object FixedSizeListValues {

  def miniBlock(encoding: FixedSizeListMessage, shape: ValueShape): MiniBlockDecompressor = {
    val levels = Levels.parse(encoding, shape)
    if (!levels.leavesStored) throw new UnsupportedLanceFeatureException("mini-blocks of lists of nulls only")
    val expected = levels.all.count(_.hasValidity) + 1
    (buffers, count, out) => {
      if (buffers.length != expected)
        throw new LanceFormatException(
          s"${buffers.length} buffers in a chunk of fixed-size lists, not $expected"
        )
      appendChunk(levels.all, levels.leaves, buffers.toList, count, out)
    }
  }

  def fixedValues(encoding: FixedSizeListMessage, shape: ValueShape): FixedValuesDecompressor = {
    val levels = Levels.parse(encoding, shape)
    val inOneGo = !levels.all.exists(_.hasValidity) && levels.leavesFillBytes
    new FixedValuesDecompressor {
      val bytesPerValue: Int = levels.bytesPerValue

      def decompress(bytes: Array[Byte], from: Int, count: Int, out: DataBlock): Unit =
        if (inOneGo) appendValues(levels, levels.all, bytes, from, count, out)
        else {
          var i = 0
          while (i < count) {
            appendValues(levels, levels.all, bytes, from + i * bytesPerValue, 1, out)
            i += 1
          }
        }
    }
  }

  def compressor(shape: ValueShape.FixedSizeList): MiniBlockCompressor = values => {
    val levels = Levels.of(values, shape)
    val perChunk = Flat.chunkValues(Math.toIntExact(levels.bitsPerValue))
    val chunks = (0 until values.length by perChunk).map { from =>
      val count = math.min(perChunk, values.length - from)
      MiniBlockChunk(count, chunkBuffers(levels, values, from, count))
    }
    MiniBlockValues(chunks.toVector, levels.encoding)
  }

  /** Returns the values one by one, for full-zip. */
  def toFixedValues(values: DataBlock, shape: ValueShape.FixedSizeList): FixedValues = {
    val levels = Levels.of(values, shape)
    val out = new Array[Byte](Math.multiplyExact(values.length, levels.bytesPerValue))
    writeValues(levels, values, 0, values.length, 1, out)
    FixedValues(Slice(out), levels.bytesPerValue, levels.encoding)
  }

  private def appendChunk(
      levels: List[Level],
      leaves: BlockDecompressor,
      buffers: List[Slice],
      count: Int,
      out: DataBlock
  ): Unit = levels match {
    case Nil => leaves.decompress(buffers.head, count, out)
    case level :: inner =>
      val list = asList(out, level.dimension)
      val items = Math.multiplyExact(count, level.dimension)
      if (level.hasValidity) appendValidity(buffers.head, items, list.itemNulls)
      appendChunk(inner, leaves, if (level.hasValidity) buffers.tail else buffers, items, list.items)
      list.advance(count)
  }

  private def appendValidity(bitmap: Slice, items: Int, nulls: NullMask): Unit = {
    if (bitmap.length != bitmapBytes(items))
      throw new LanceFormatException(s"a bitmap of ${bitmap.length} bytes for the nulls of $items items")
    nulls.appendValidity(bitmap.array, bitmap.offset, items)
  }

  /** Appends `count` lists that start at `at`; more than one only if no level has a bitmap and leaves fill
    * whole bytes.
    */
  private def appendValues(
      levels: Levels,
      depth: List[Level],
      bytes: Array[Byte],
      at: Int,
      count: Int,
      out: DataBlock
  ): Unit = depth match {
    case Nil if levels.leavesStored =>
      levels.leaves.decompress(Slice(bytes, at, levels.leafBytes(count)), count, out)
    case Nil => out.appendSlots(count)
    case level :: inner =>
      val list = asList(out, level.dimension)
      val items = Math.multiplyExact(count, level.dimension)
      if (inner.isEmpty && !levels.leavesStored) list.itemNulls.appendNull(items)
      else if (level.hasValidity) list.itemNulls.appendValidity(bytes, at, items)
      appendValues(
        levels,
        inner,
        bytes,
        if (level.hasValidity) at + bitmapBytes(items) else at,
        items,
        list.items
      )
      list.advance(count)
  }

  private def chunkBuffers(levels: Levels, values: DataBlock, from: Int, count: Int): Vector[Slice] =
    values match {
      case list: FixedSizeListBlock =>
        val first = from * list.dimension
        val items = count * list.dimension
        val bitmap = Option.when(list.itemNulls.hasNulls) {
          val out = new Array[Byte](bitmapBytes(items))
          list.itemNulls.writeValidity(first, items, out, 0)
          Slice(out)
        }
        bitmap.toVector ++ chunkBuffers(levels, list.items, first, items)
      case leaves => Vector(Flat.bytes(leaves, levels.leafBits, from, count))
    }

  /** Writes the part of each value that starts `at` bytes into it, `perValue` entries of `block` at a time.
    */
  private def writeValues(
      levels: Levels,
      block: DataBlock,
      at: Int,
      count: Int,
      perValue: Int,
      out: Array[Byte]
  ): Unit = block match {
    case list: FixedSizeListBlock =>
      val items = perValue * list.dimension
      if (list.itemNulls.hasNulls) {
        var i = 0
        while (i < count) {
          list.itemNulls.writeValidity(i * items, items, out, i * levels.bytesPerValue + at)
          i += 1
        }
      }
      val after = if (list.itemNulls.hasNulls) at + bitmapBytes(items) else at
      writeValues(levels, list.items, after, count, items, out)
    case leaves =>
      // Each value of booleans begins at a byte boundary.
      val size = Math.toIntExact(Flat.sizeOf(perValue.toLong, levels.leafBits))
      val perCopy = if (perValue.toLong * levels.leafBits == 8L * size) count else 1
      var i = 0
      while (i < count) {
        val bytes = Flat.bytes(leaves, levels.leafBits, i * perValue, perCopy * perValue).array
        val until = i + perCopy
        val first = i
        while (i < until) {
          System.arraycopy(bytes, (i - first) * size, out, i * levels.bytesPerValue + at, size)
          i += 1
        }
      }
  }

  private def bitmapBytes(items: Int): Int = ((items + 7L) / 8).toInt

  private def asList(block: DataBlock, dimension: Int): FixedSizeListBlock = block match {
    case list: FixedSizeListBlock if list.dimension == dimension => list
    case other => Widths.mismatch(s"lists of $dimension items", other)
  }

  final private case class Level(dimension: Int, hasValidity: Boolean)

  /** @param all outer level first */
  final private case class Levels(all: List[Level], leafBits: Int, leavesStored: Boolean) {

    /** Items of a value at each level. */
    private val items: List[Long] =
      all.scanLeft(1L)((n, level) => Math.multiplyExact(n, level.dimension.toLong)).tail

    def bitsPerValue: Long = {
      val bitmaps = all.zip(items).collect { case (level, n) if level.hasValidity => (n + 7) / 8 * 8 }.sum
      if (leavesStored) Math.addExact(bitmaps, 8 * Flat.sizeOf(items.last, leafBits))
      else bitmaps
    }

    /** Whether values fill whole bytes. Only booleans may leave bits of a value's last byte unused. */
    def leavesFillBytes: Boolean = items.last * leafBits % 8 == 0

    def leafBytes(count: Int): Int = Math.toIntExact(Flat.sizeOf(count.toLong, leafBits))

    val leaves: BlockDecompressor = Flat.decompressor(leafBits)

    val bytesPerValue: Int = {
      if (bitsPerValue / 8 > Int.MaxValue / 2)
        throw new UnsupportedLanceFeatureException("fixed-size lists of more than a gigabyte")
      (bitsPerValue / 8).toInt
    }

    def encoding: CompressiveEncoding =
      all.foldRight(Flat.encoding(leafBits)) { (level, inner) =>
        val message = FixedSizeListMessage(level.dimension.toLong, level.hasValidity, Some(inner))
        CompressiveEncoding(Compression.FixedSizeList(message))
      }
  }

  private object Levels {

    /** Parses a message and checks it against the column's type. */
    def parse(message: FixedSizeListMessage, shape: ValueShape): Levels = shape match {
      case ValueShape.FixedSizeList(dimension, items)
          if message.itemsPerValue == dimension && dimension > 0 =>
        val level = Level(dimension, message.hasValidity)
        message.getValues.compression match {
          case Compression.FixedSizeList(inner) =>
            val levels = parse(inner, items)
            levels.copy(all = level :: levels.all)
          case Compression.Flat(flat) =>
            Levels(List(level), Widths.agreed(flat.bitsPerValue, items, "flat"), leavesStored = true)
          case Compression.Constant(constant) if constant.value.isEmpty && level.hasValidity =>
            Levels(List(level), leafBits(items), leavesStored = false)
          case other =>
            throw new UnsupportedLanceFeatureException(s"fixed-size lists of items encoded as $other")
        }
      case _ =>
        throw new LanceFormatException(s"lists of ${message.itemsPerValue} items in a column of $shape")
    }

    def of(values: DataBlock, shape: ValueShape): Levels = (values, shape) match {
      case (list: FixedSizeListBlock, ValueShape.FixedSizeList(dimension, items)) =>
        val level = Level(dimension, list.itemNulls.hasNulls)
        items match {
          case ValueShape.FixedSizeList(_, _) =>
            val levels = of(list.items, items)
            levels.copy(all = level :: levels.all)
          case ValueShape.FixedWidth(_) | ValueShape.VariableWidth(_) | ValueShape.Struct(_) =>
            Levels(List(level), leafBits(items), leavesStored = true)
        }
      case _ => Widths.mismatch(s"values of shape $shape", values)
    }

    private def leafBits(shape: ValueShape): Int = shape match {
      case ValueShape.FixedWidth(bits) => bits
      case ValueShape.VariableWidth(_) | ValueShape.FixedSizeList(_, _) | ValueShape.Struct(_) =>
        throw new LanceFormatException(s"leaves of shape $shape in a fixed-size list")
    }
  }
}
