package io.sparklance.encoding.structural

import java.util.Arrays

import io.sparklance.data.{FileVersion, Fixed16Block, LittleEndian, NullMask, Slice}
import io.sparklance.encoding.{
  BlockCompressor,
  BlockValues,
  CompressionStrategy,
  EncodedPage,
  MiniBlockChunk,
  MiniBlockValues
}
import io.sparklance.proto.encodings.{MiniBlockLayout, PageLayout, RepDefLayer}

/** Writes mini-block pages, whose bytes [[MiniBlockReader]] and [[MiniBlockChunks]] describe. */
private[encoding] object MiniBlockWriter {
  final private val PaddingByte = 0xfe.toByte

  /** A page of a column without lists.
    *
    * @param nulls of the rows; a page without any stores no levels
    */
  def encode(values: MiniBlockValues, nulls: NullMask, version: FileVersion): EncodedPage = {
    val levels = if (nulls.hasNulls) Some(chunkLevels(values, nulls, version)) else None
    val chunks = values.chunks.zipWithIndex.map { case (chunk, i) =>
      MiniBlockWriter.chunk(chunk, levels.map(_(i).buffer), version)
    }
    val layer =
      if (nulls.hasNulls) RepDefLayer.REPDEF_NULLABLE_ITEM else RepDefLayer.REPDEF_ALL_VALID_ITEM
    val rows = values.chunks.map(_.values.toLong).sum
    val layout = MiniBlockLayout(
      defCompression = levels.map(_.head.encoding),
      valueCompression = Some(values.encoding),
      layers = Seq(layer),
      numBuffers = values.chunks.head.buffers.length.toLong,
      numItems = rows,
      hasLargeChunk = ChunkTable.wordBytes(version) == 4
    )
    EncodedPage(
      Vector(words(values.chunks, chunks, version), joined(chunks)),
      PageLayout(PageLayout.Layout.MiniBlockLayout(layout)),
      rows
    )
  }

  /** The definition levels of each chunk, all compressed in the way that suits the whole page. */
  private def chunkLevels(
      values: MiniBlockValues,
      nulls: NullMask,
      version: FileVersion
  ): Vector[BlockValues] = {
    val all = levelsOf(nulls, 0, nulls.length)
    val compressor: BlockCompressor = CompressionStrategy.levels(all, version)
    val starts = values.chunks.scanLeft(0)(_ + _.values)
    values.chunks.zip(starts).map { case (chunk, start) =>
      compressor.compress(levelsOf(nulls, start, chunk.values))
    }
  }

  private def levelsOf(nulls: NullMask, from: Int, count: Int): Fixed16Block = {
    val levels = new Fixed16Block
    levels.extend(count)
    var i = 0
    while (i < count) { levels.values(i) = if (nulls.isNull(from + i)) 1 else 0; i += 1 }
    levels
  }

  private def chunk(values: MiniBlockChunk, levels: Option[Slice], version: FileVersion): Array[Byte] = {
    val sizeBytes = ChunkTable.wordBytes(version)
    val sizesAt = if (levels.isDefined) 4 else 2
    val parts = levels.toVector ++ values.buffers
    val header = padded(sizesAt + sizeBytes * values.buffers.length)
    val bytes =
      new Array[Byte](parts.foldLeft(header)((sum, part) => Math.addExact(sum, padded(part.length))))
    Arrays.fill(bytes, PaddingByte)
    putSize(bytes, 0, if (levels.isDefined) values.values else 0, 2)
    levels.foreach(level => putSize(bytes, 2, level.length, 2))
    values.buffers.zipWithIndex.foreach { case (buffer, i) =>
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
