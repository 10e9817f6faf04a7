package io.sparklance.encoding.structural

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, FileVersion, RowRange, Slice, ValueShape}
import io.sparklance.encoding.physical.DictionaryValues
import io.sparklance.encoding.{BlockDecompressor, Levels, MiniBlockDecompressor}

/** How the chunks of a page are laid out, and what undoes their compressions.
  *
  * {{{
  * u16 levels of each kind (0 without levels)
  * u16 bytes of the repetition levels, if the page has any
  * u16 bytes of the definition levels, if the page has any
  * u16 (since 2.2: u32) bytes of each value buffer
  * repetition levels | definition levels | value buffers
  * }}}
  * The header and everything behind it is padded to 8 bytes, counted from the chunk's start.
  */
final private[structural] class MiniBlockChunks(
    numBuffers: Int,
    version: FileVersion,
    definition: Option[BlockDecompressor],
    maxDefinition: Int,
    values: MiniBlockDecompressor,
    val dictionary: Option[ChunkDictionary]
) {
  private val wideSizes = ChunkTable.wordBytes(version) == 4
  private val sizesAt = if (definition.isDefined) 4 else 2
  private val headerBytes = MiniBlockChunks.padded(sizesAt + numBuffers * (if (wideSizes) 4L else 2L))

  /** Appends the `wanted` values of a chunk of `count`; without a dictionary, these are all. */
  def decode(chunk: Slice, count: Int, wanted: RowRange, out: DataBlock, levels: Levels): Unit = {
    val definitionBytes = if (definition.isDefined) chunk.unsignedShort(2) else 0
    var at = headerBytes + MiniBlockChunks.padded(definitionBytes.toLong)
    val buffers = new Array[Slice](numBuffers)
    var i = 0
    while (i < numBuffers) {
      val size =
        if (wideSizes) chunk.unsignedInt(sizesAt + 4 * i) else chunk.unsignedShort(sizesAt + 2 * i).toLong
      buffers(i) = chunk.slice(at, size, "a value buffer")
      at += MiniBlockChunks.padded(size)
      i += 1
    }
    // Values first: their size bounds `count`, which levels of no bits would not.
    decodeValues(buffers, count, wanted, out)
    definition.foreach { levelDecoder =>
      checkLevelCount(chunk.unsignedShort(0), count)
      decodeLevels(
        levelDecoder,
        chunk.slice(headerBytes, definitionBytes.toLong, "levels"),
        count,
        wanted,
        levels
      )
    }
  }

  private def decodeValues(buffers: Array[Slice], count: Int, wanted: RowRange, out: DataBlock): Unit =
    dictionary match {
      case None => decodeAll(buffers, count, out)
      case Some(ChunkDictionary(items, shape)) =>
        val positions = DataBlock.forShape(shape)
        decodeAll(buffers, count, positions)
        DictionaryValues.gather(positions, wanted.start.toInt, wanted.length.toInt, items, out)
    }

  private def decodeAll(buffers: Array[Slice], count: Int, out: DataBlock): Unit = {
    val before = out.length
    values.decompress(buffers, count, out)
    if (out.length - before != count)
      throw new LanceFormatException(s"a chunk of $count values decodes to ${out.length - before}")
  }

  /** Without lists each value has a level. There may be more of them than the header can count. */
  private def checkLevelCount(said: Int, count: Int): Unit =
    if (said != (count & 0xffff))
      throw new LanceFormatException(s"$said levels for the $count values of a chunk")

  private def decodeLevels(
      decoder: BlockDecompressor,
      bytes: Slice,
      count: Int,
      wanted: RowRange,
      levels: Levels
  ): Unit = {
    levels.scratch.clear()
    decoder.decompress(bytes, count, levels.scratch)
    val n = wanted.length.toInt
    val at = levels.extend(n)
    System.arraycopy(levels.scratch.values, wanted.start.toInt, levels.definition, at, n)
    // Levels that are all 0 are as good as none.
    if (RepDef.anyDefinition(levels.definition, at, n, maxDefinition)) levels.hasDefinition = true
  }
}

/** @param positions of what chunks hold: positions among `items` */
final private[structural] case class ChunkDictionary(items: DataBlock, positions: ValueShape)

private[structural] object MiniBlockChunks {

  /** Far more than any encoding has; a header of so many still is small. */
  final val MaxBuffers = 256

  def padded(bytes: Long): Long = bytes + 7 & ~7L
}
