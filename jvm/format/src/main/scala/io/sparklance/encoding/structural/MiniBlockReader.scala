package io.sparklance.encoding.structural

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, DataBlock, FileVersion, Slice, ValueShape}
import io.sparklance.encoding.compression.{BlockStats, Decompressors}
import io.sparklance.encoding.{BlockDecompressor, Layers, OpenPage, PageDecoder}
import io.sparklance.proto.encodings.{CompressiveEncoding, MiniBlockLayout}

/** Reads mini-block pages: small values in chunks of some KiB, each decoded as a whole.
  *
  * {{{
  * page buffers   chunk words | chunks | dictionary, if any | repetition index, if any
  * }}}
  * [[ChunkTable]] describes the words, [[MiniBlockChunks]] a chunk, [[RepetitionIndex]] the index of pages
  * with lists.
  */
private[encoding] object MiniBlockReader {

  def decoder(
      layout: MiniBlockLayout,
      buffers: Vector[ByteRange],
      rows: Long,
      shape: ValueShape,
      version: FileVersion
  ): PageDecoder = {
    val layers = Layers.parse(layout.layers)
    check(layout, layers, buffers, rows, version)
    val dictionary = layout.dictionary.map(StoredDictionary(layout, _, shape))
    val repetition = layout.repCompression.map(Decompressors.block(_, ValueShape.FixedWidth(16)))
    val definition = layout.defCompression.map(Decompressors.block(_, ValueShape.FixedWidth(16)))
    val stored = dictionary.fold(shape)(_.indexShape)
    val values = Decompressors.miniBlock(layout.getValueCompression, stored)
    new PageDecoder {
      def initRanges: Vector[ByteRange] = buffers(0) +: buffers.drop(2)
      def open(init: Vector[Slice]): OpenPage = {
        val table = ChunkTable.parse(init(0), version, layout.numItems, buffers(1).length)
        val expansion = dictionary.map(d => ChunkDictionary(d.decode(init(1)), d.indexShape))
        val valueBytes =
          expansion.fold(ValueShape.minimumBytes(shape))(d => BlockStats.longestValue(d.items, shape))
        val buffersInChunk = layout.numBuffers.toInt
        val chunks =
          new MiniBlockChunks(buffersInChunk, version, layers, repetition, definition, values, expansion)
        if (layers.maxRepetition == 0) new MiniBlockPage(table, buffers(1), chunks, valueBytes)
        else {
          val index = RepetitionIndex.parse(init.last, table.length, rows)
          new MiniBlockListPage(table, index, buffers(1), chunks, valueBytes)
        }
      }
    }
  }

  private def check(
      layout: MiniBlockLayout,
      layers: Layers,
      buffers: Vector[ByteRange],
      rows: Long,
      version: FileVersion
  ): Unit = {
    val hasLists = layers.maxRepetition > 0
    if (layout.repCompression.isDefined != hasLists)
      throw new LanceFormatException(
        s"${layers.maxRepetition} layers of lists, but repetition levels ${layout.repCompression}"
      )
    if (layout.defCompression.isDefined && layers.maxDefinition == 0)
      throw new LanceFormatException("definition levels in a page whose layers have none")
    if (layout.repetitionIndexDepth != (if (hasLists) 1 else 0))
      throw new LanceFormatException(
        s"a repetition index of depth ${layout.repetitionIndexDepth} for ${layers.maxRepetition} layers of lists"
      )
    if (layout.hasLargeChunk != (ChunkTable.wordBytes(version) == 4))
      throw new LanceFormatException(
        s"has_large_chunk = ${layout.hasLargeChunk} in a file of version $version"
      )
    val expected = 2 + layout.dictionary.size + layout.repetitionIndexDepth
    if (buffers.length != expected)
      throw new LanceFormatException(s"a mini-block page of ${buffers.length} buffers, not $expected")
    if (!hasLists && layout.numItems != rows)
      throw new LanceFormatException(s"${layout.numItems} values in a page of $rows rows")
    if (layout.numBuffers < 1 || layout.numBuffers > MiniBlockChunks.MaxBuffers)
      throw new LanceFormatException(s"chunks of ${layout.numBuffers} value buffers")
  }
}

/** A page's dictionary; the chunks hold positions in it. */
final private case class StoredDictionary(
    items: BlockDecompressor,
    count: Int,
    shape: ValueShape,
    indexShape: ValueShape
) {

  def decode(bytes: Slice): DataBlock = {
    val decoded = DataBlock.forShape(shape)
    items.decompress(bytes, count, decoded)
    decoded
  }
}

private object StoredDictionary {

  /** Largest accepted dictionary. Writers stop at 8 MiB by default. */
  private val MaxBytes = 256L << 20

  def apply(layout: MiniBlockLayout, items: CompressiveEncoding, shape: ValueShape): StoredDictionary = {
    val count = layout.numDictionaryItems
    if (count < 0 || count > MaxBytes / ValueShape.minimumBytes(shape).max(1))
      throw new LanceFormatException(s"a dictionary of $count items")
    val indexShape = ValueShape.FixedWidth(Decompressors.wordBits(layout.getValueCompression))
    StoredDictionary(Decompressors.block(items, shape), count.toInt, shape, indexShape)
  }
}
