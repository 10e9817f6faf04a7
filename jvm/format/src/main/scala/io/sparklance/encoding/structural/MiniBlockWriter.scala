package io.sparklance.encoding.structural

import java.util.Arrays

import io.sparklance.data.{FileVersion, LittleEndian, Slice}
import io.sparklance.encoding.compression.{LevelStrategy, PageDictionary}
import io.sparklance.encoding.{BlockValues, EncodedPage, MiniBlockChunk, MiniBlockValues, Slots}
import io.sparklance.proto.encodings.{MiniBlockLayout, PageLayout}

/** Writes mini-block pages, whose bytes [[MiniBlockReader]] and [[MiniBlockChunks]] describe. */
private[encoding] object MiniBlockWriter {
  final private val PaddingByte = 0xfe.toByte

  /** @param values the values of the visible slots, or their positions in a dictionary */
  def encode(
      values: MiniBlockValues,
      slots: Slots,
      version: FileVersion,
      dictionary: Option[PageDictionary] = None
  ): EncodedPage = {
    val ends = chunkEnds(values.chunks, slots)
    val valueBytes = values.chunks.iterator.flatMap(_.buffers).map(_.length.toLong).sum
    val repetition = slots.repetition.map(chunkLevels(_, ends, valueBytes, version))
    val definition = slots.definition.map(chunkLevels(_, ends, valueBytes, version))
    val levels = Vector(repetition, definition).flatten
    val chunks = values.chunks.zipWithIndex.map { case (chunk, i) =>
      val count = if (levels.isEmpty) 0 else ends(i + 1) - ends(i)
      MiniBlockWriter.chunk(count, levels.map(_(i).buffer), chunk.buffers, version)
    }
    val layout = MiniBlockLayout(
      repCompression = repetition.map(_.head.encoding),
      defCompression = definition.map(_.head.encoding),
      valueCompression = Some(values.encoding),
      dictionary = dictionary.map(_.items.encoding),
      numDictionaryItems = dictionary.fold(0L)(_.count.toLong),
      layers = slots.kinds,
      numBuffers = values.chunks.head.buffers.length.toLong,
      repetitionIndexDepth = repetition.size,
      numItems = slots.visible.toLong,
      hasLargeChunk = ChunkTable.wordBytes(version) == 4
    )
    val index = repetition.map(_ => Slice(RepetitionIndex.print(slots, ends)))
    EncodedPage(
      Vector(words(values.chunks, chunks, version), joined(chunks)) ++ dictionary.map(_.items.buffer) ++
        index,
      PageLayout(PageLayout.Layout.MiniBlockLayout(layout)),
      slots.rows.toLong
    )
  }

  /** Returns 0 and the end of each chunk, in slots: after its last value, and for the last chunk after all
    * slots.
    */
  private def chunkEnds(chunks: Vector[MiniBlockChunk], slots: Slots): Array[Int] = {
    val ends = new Array[Int](chunks.length + 1)
    var slot = 0
    chunks.indices.foreach { i =>
      var left = chunks(i).values
      if (slots.visible == slots.length) slot += left
      else
        while (left > 0) {
          if (slots.isVisible(slot)) left -= 1
          slot += 1
        }
      ends(i + 1) = slot
    }
    ends(chunks.length) = slots.length
    ends
  }

  /** Compresses the levels of each chunk, all by the encoding that suits the whole page. */
  private def chunkLevels(
      levels: Array[Short],
      ends: Array[Int],
      valueBytes: Long,
      version: FileVersion
  ): Vector[BlockValues] = {
    val chunks = ends.toVector.zip(ends.tail).map { case (from, until) => Slots.block(levels, from, until) }
    LevelStrategy.compress(Slots.block(levels, 0, ends.last), chunks, valueBytes, version)
  }

  private def chunk(
      slots: Int,
      levels: Vector[Slice],
      values: Vector[Slice],
      version: FileVersion
  ): Array[Byte] = {
    val sizeBytes = ChunkTable.wordBytes(version)
    val sizesAt = 2 + 2 * levels.length
    val parts = levels ++ values
    val header = padded(sizesAt + sizeBytes * values.length)
    val bytes =
      new Array[Byte](parts.foldLeft(header)((sum, part) => Math.addExact(sum, padded(part.length))))
    Arrays.fill(bytes, PaddingByte)
    putSize(bytes, 0, slots, 2)
    levels.zipWithIndex.foreach { case (level, i) => putSize(bytes, 2 + 2 * i, level.length, 2) }
    values.zipWithIndex.foreach { case (buffer, i) =>
      putSize(bytes, sizesAt + sizeBytes * i, buffer.length, sizeBytes)
    }
    parts.zip(parts.scanLeft(header)((at, part) => at + padded(part.length))).foreach { case (part, at) =>
      System.arraycopy(part.array, part.offset, bytes, at, part.length)
    }
    bytes
  }

  private def words(
      chunks: Vector[MiniBlockChunk],
      encoded: Vector[Array[Byte]],
      version: FileVersion
  ): Slice = {
    val wordBytes = ChunkTable.wordBytes(version)
    val words = new Array[Byte](wordBytes * chunks.length)
    chunks.zip(encoded).zipWithIndex.foreach { case ((chunk, bytes), i) =>
      val isLast = i == chunks.length - 1
      require(
        isLast || chunk.values > 1 && Integer.bitCount(chunk.values) == 1,
        s"a chunk of ${chunk.values} values"
      )
      val log2 = if (isLast) 0 else Integer.numberOfTrailingZeros(chunk.values)
      putSize(words, wordBytes * i, ChunkTable.word(bytes.length, log2), wordBytes)
    }
    Slice(words)
  }

  private def putSize(bytes: Array[Byte], at: Int, size: Int, width: Int): Unit =
    if (width == 4) LittleEndian.putInt(bytes, at, size)
    else {
      require(size <= 0xffff, s"$size does not fit into a chunk's header")
      LittleEndian.putShort(bytes, at, size.toShort)
    }

  private def joined(parts: Vector[Array[Byte]]): Slice = {
    val bytes = new Array[Byte](parts.foldLeft(0)((sum, part) => Math.addExact(sum, part.length)))
    parts.zip(parts.scanLeft(0)(_ + _.length)).foreach { case (part, at) =>
      System.arraycopy(part, 0, bytes, at, part.length)
    }
    Slice(bytes)
  }

  private def padded(bytes: Int): Int = bytes + 7 & ~7
}
