package io.sparklance.encoding.structural

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, FileVersion, RowRange, Slice, ValueShape}
import io.sparklance.encoding.physical.DictionaryValues
import io.sparklance.encoding.{BlockDecompressor, Layers, Levels, MiniBlockDecompressor}

/** Layout and decoders of a page's chunks.
  *
  * {{{
  * u16 slots, that is, levels of each kind (0 without levels)
  * u16 bytes of the repetition levels, if the page has any
  * u16 bytes of the definition levels, if the page has any
  * u16 (since 2.2: u32) bytes of each value buffer
  * repetition levels | definition levels | value buffers
  * }}}
  * The header and each following part is padded to 8 bytes, counted from the chunk's start.
  */
final private[structural] class MiniBlockChunks(
    numBuffers: Int,
    version: FileVersion,
    val layers: Layers,
    repetition: Option[BlockDecompressor],
    definition: Option[BlockDecompressor],
    values: MiniBlockDecompressor,
    val dictionary: Option[ChunkDictionary]
) {
  private val wideSizes = ChunkTable.wordBytes(version) == 4
  private val definitionSizeAt = if (repetition.isDefined) 4 else 2
  private val sizesAt = definitionSizeAt + (if (definition.isDefined) 2 else 0)
  private val headerBytes = MiniBlockChunks.padded(sizesAt + numBuffers * (if (wideSizes) 4L else 2L))

  /** Appends the `wanted` values of a chunk of `count`, and their levels if the page has any; without a
    * dictionary, `wanted` is all of them. For pages without lists.
    */
  def decode(chunk: Slice, count: Int, wanted: RowRange, out: DataBlock, levels: Levels): Unit = {
    // A chunk may have more slots than its header can count.
    val slots = if (definition.isDefined) count & 0xffff else 0
    if (chunk.unsignedShort(0) != slots)
      throw new LanceFormatException(
        s"${chunk.unsignedShort(0)} levels, not $slots, for the $count values of a chunk"
      )
    // Values first: their size bounds `count`, and levels of 0 bits would not.
    decodeValues(chunk, count, wanted, out, levels)
    definition.foreach(
      decodeDefinition(_, chunk, count, wanted, levels, levels.extend(wanted.length.toInt))
    )
  }

  /** Appends the levels of a chunk of `count` values. For pages with lists. */
  def decodeLevels(chunk: Slice, count: Int, levels: Levels): Unit = {
    val slots = slotsOf(chunk)
    val all = RowRange(0, slots.toLong)
    val at = levels.extend(slots)
    repetition.foreach { decoder =>
      levels.hasRepetition = true
      copyLevels(decoder, repetitionLevels(chunk), slots, all, levels, levels.repetition, at)
    }
    definition.foreach(decodeDefinition(_, chunk, slots, all, levels, at))
    val visible = levels.visible(at, levels.length, layers.maxVisible)
    if (visible != count) throw new LanceFormatException(s"a chunk of $count values has levels for $visible")
  }

  /** Returns the number of slots. The header counts to 65,535; in larger chunks, which pylance 6.0.1 wrote,
    * the runs of levels give the true number.
    */
  private def slotsOf(chunk: Slice): Int = {
    val said = chunk.unsignedShort(0)
    val counted = repetition.flatMap(_.countOf(repetitionLevels(chunk))) ++
      definition.flatMap(_.countOf(definitionLevels(chunk)))
    counted.foldLeft(said) { (slots, n) =>
      if (n < said || (n & 0xffff) != said || slots != said && slots != n)
        throw new LanceFormatException(s"$n levels in a chunk of $slots")
      n
    }
  }

  private def repetitionLevels(chunk: Slice): Slice =
    chunk.slice(headerBytes, repetitionBytes(chunk), "repetition levels")
  private def definitionLevels(chunk: Slice): Slice =
    chunk.slice(definitionAt(chunk), definitionBytes(chunk), "definition levels")

  /** Appends the `wanted` values of a chunk of `count`; without a dictionary, `wanted` is all of them. */
  def decodeValues(chunk: Slice, count: Int, wanted: RowRange, out: DataBlock, levels: Levels): Unit =
    dictionary match {
      case None => decodeAll(buffers(chunk), count, out)
      case Some(ChunkDictionary(items, shape)) =>
        val positions = levels.positions(shape)
        decodeAll(buffers(chunk), count, positions)
        DictionaryValues.gather(positions, wanted.start.toInt, wanted.length.toInt, items, out)
    }

  /** Returns candidates of a chunk of `count` values; see [[io.sparklance.encoding.OpenPage.candidates]]. */
  def candidates(chunk: Slice, count: Int, scratch: DataBlock): Option[DataBlock] = dictionary match {
    case Some(ChunkDictionary(items, _)) =>
      Option.when(items.length <= count / MiniBlockChunks.RowsPerCandidate)(items)
    case None =>
      Option.when(values.hasCandidates && values.candidates(buffers(chunk), count, scratch))(scratch)
  }

  private def decodeAll(buffers: Array[Slice], count: Int, out: DataBlock): Unit = {
    val before = out.length
    values.decompress(buffers, count, out)
    if (out.length - before != count)
      throw new LanceFormatException(s"a chunk of $count values decodes to ${out.length - before}")
  }

  private def buffers(chunk: Slice): Array[Slice] = {
    var at = definitionAt(chunk) + MiniBlockChunks.padded(definitionBytes(chunk))
    val buffers = new Array[Slice](numBuffers)
    var i = 0
    while (i < numBuffers) {
      val size =
        if (wideSizes) chunk.unsignedInt(sizesAt + 4 * i) else chunk.unsignedShort(sizesAt + 2 * i).toLong
      buffers(i) = chunk.slice(at, size, "a value buffer")
      at += MiniBlockChunks.padded(size)
      i += 1
    }
    if (at != chunk.length) throw new LanceFormatException(s"a chunk of ${chunk.length} bytes ends after $at")
    buffers
  }

  private def repetitionBytes(chunk: Slice): Long =
    if (repetition.isDefined) chunk.unsignedShort(2).toLong else 0
  private def definitionBytes(chunk: Slice): Long =
    if (definition.isDefined) chunk.unsignedShort(definitionSizeAt).toLong else 0
  private def definitionAt(chunk: Slice): Long = headerBytes + MiniBlockChunks.padded(repetitionBytes(chunk))

  private def decodeDefinition(
      decoder: BlockDecompressor,
      chunk: Slice,
      count: Int,
      wanted: RowRange,
      levels: Levels,
      at: Int
  ): Unit = {
    copyLevels(decoder, definitionLevels(chunk), count, wanted, levels, levels.definition, at)
    // Levels that are all 0 count as absent.
    if (RepDef.anyDefinition(levels.definition, at, wanted.length.toInt, layers.maxDefinition))
      levels.hasDefinition = true
  }

  /** Decodes `count` levels and copies the `wanted` ones to `out` from `at` on. */
  private def copyLevels(
      decoder: BlockDecompressor,
      bytes: Slice,
      count: Int,
      wanted: RowRange,
      levels: Levels,
      out: Array[Short],
      at: Int
  ): Unit = {
    levels.scratch.clear()
    decoder.decompress(bytes, count, levels.scratch)
    System.arraycopy(levels.scratch.values, wanted.start.toInt, out, at, wanted.length.toInt)
  }
}

/** @param positions shape of the chunks' values: positions among `items` */
final private[structural] case class ChunkDictionary(items: DataBlock, positions: ValueShape)

private[structural] object MiniBlockChunks {

  /** Far more value buffers than any encoding has; their header is still small. */
  final val MaxBuffers = 256

  /** Testing one dictionary item costs about as much as testing this many rows. It is repeated for each
    * chunk.
    */
  final val RowsPerCandidate = 8

  def padded(bytes: Long): Long = bytes + 7 & ~7L
}
