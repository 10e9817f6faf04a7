package io.sparklance.encoding.structural

import io.sparklance.data.{ByteRange, DataBlock, FileVersion, RowRange, Slice, ValueShape}
import io.sparklance.encoding.{
  BlockDecompressor,
  BlockStats,
  DecodeUnit,
  Decompressors,
  Levels,
  OpenPage,
  PageDecoder
}
import io.sparklance.proto.encodings.{CompressiveEncoding, MiniBlockLayout}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Reads mini-block pages: small values in chunks of some KiB, each decoded as a whole.
  *
  * {{{
  * page buffers   chunk words | chunks | dictionary, if any | repetition index, if any
  * }}}
  * [[ChunkTable]] describes the words, [[MiniBlockChunks]] a chunk.
  */
private[encoding] object MiniBlockReader {

  def decoder(
      layout: MiniBlockLayout,
      buffers: Vector[ByteRange],
      rows: Long,
      shape: ValueShape,
      version: FileVersion
  ): PageDecoder = {
    check(layout, buffers, rows, version)
    val dictionary = layout.dictionary.map(PageDictionary(layout, _, shape))
    val definition = layout.defCompression.map(Decompressors.block(_, ValueShape.FixedWidth(16)))
    val maxDefinition = RepDef.maxDefinition(layout.layers)
    val stored = dictionary.fold(shape)(_.indexShape)
    val values = Decompressors.miniBlock(layout.getValueCompression, stored)
    new PageDecoder {
      def initRanges: Vector[ByteRange] = buffers(0) +: buffers.drop(2)
      def open(init: Vector[Slice]): OpenPage = {
        val table = ChunkTable.parse(init(0), version, rows, buffers(1).length)
        val expansion = dictionary.map(d => ChunkDictionary(d.decode(init(1)), d.indexShape))
        val valueBytes =
          expansion.fold(ValueShape.minimumBytes(shape))(d => BlockStats.longestValue(d.items, shape))
        val chunks =
          new MiniBlockChunks(layout.numBuffers.toInt, version, definition, maxDefinition, values, expansion)
        new MiniBlockPage(table, buffers(1), chunks, valueBytes)
      }
    }
  }

  private def check(
      layout: MiniBlockLayout,
      buffers: Vector[ByteRange],
      rows: Long,
      version: FileVersion
  ): Unit = {
    RepDef.refuseLists(layout.layers)
    if (layout.repCompression.isDefined || layout.repetitionIndexDepth > 0)
      throw new UnsupportedLanceFeatureException("repetition levels (lists)")
    if (layout.hasLargeChunk != (ChunkTable.wordBytes(version) == 4))
      throw new LanceFormatException(
        s"has_large_chunk = ${layout.hasLargeChunk} in a file of version $version"
      )
    val expected = 2 + layout.dictionary.size
    if (buffers.length != expected)
      throw new LanceFormatException(s"a mini-block page of ${buffers.length} buffers, not $expected")
    if (layout.numItems != rows)
      throw new LanceFormatException(s"${layout.numItems} values in a page of $rows rows")
    if (layout.numBuffers < 1 || layout.numBuffers > MiniBlockChunks.MaxBuffers)
      throw new LanceFormatException(s"chunks of ${layout.numBuffers} value buffers")
  }
}

/** The dictionary of a page, whose chunks then hold positions in it. */
final private case class PageDictionary(
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

private object PageDictionary {

  /** Writers stop at 8 MiB unless told otherwise. */
  private val MaxBytes = 256L << 20

  def apply(layout: MiniBlockLayout, items: CompressiveEncoding, shape: ValueShape): PageDictionary = {
    val count = layout.numDictionaryItems
    if (count < 0 || count > MaxBytes / ValueShape.minimumBytes(shape).max(1))
      throw new LanceFormatException(s"a dictionary of $count items")
    val indexShape = ValueShape.FixedWidth(Decompressors.wordBits(layout.getValueCompression))
    PageDictionary(Decompressors.block(items, shape), count.toInt, shape, indexShape)
  }
}

final private class MiniBlockPage(
    table: ChunkTable,
    data: ByteRange,
    chunks: MiniBlockChunks,
    valueBytes: Long
) extends OpenPage {

  def units(rows: RowRange, targetBytes: Int): Iterator[DecodeUnit] =
    if (rows.isEmpty) Iterator.empty
    else {
      val end = table.containing(rows.end - 1) + 1
      Iterator
        .iterate(table.containing(rows.start))(unitEnd(_, end, targetBytes))
        .takeWhile(_ < end)
        .map(from => unit(from, unitEnd(from, end, targetBytes)))
        .map(whole => if (inParts) whole.copy(rows = whole.rows.intersect(rows)) else whole)
    }

  /** Chunks of positions of large items are read row by row, since all of their values could fill the memory. */
  private val inParts = chunks.dictionary.isDefined && valueBytes > MiniBlockPage.LargeItem

  /** Behind the last chunk of a unit that starts with chunk `from`. Values that are packed tightly end it as well, so that
    * what it decodes to stays small.
    */
  private def unitEnd(from: Int, end: Int, targetBytes: Int): Int = {
    var to = from + 1
    while (
      to < end && table.byteAt(to + 1) - table.byteAt(from) <= targetBytes &&
      (inParts || (table.valueAt(to + 1) - table.valueAt(from)) * valueBytes <= 4L * targetBytes)
    ) to += 1
    to
  }

  private def unit(from: Int, to: Int): DecodeUnit = DecodeUnit(
    RowRange(table.valueAt(from), table.valueAt(to)),
    data.slice(table.byteAt(from), table.byteAt(to) - table.byteAt(from))
  )

  def decode(unit: DecodeUnit, bytes: Slice, values: DataBlock, levels: Levels): Unit = {
    val first = table.containing(unit.rows.start)
    var chunk = first
    while (chunk < table.length && table.valueAt(chunk) < unit.rows.end) {
      val from = table.byteAt(chunk) - table.byteAt(first)
      val start = table.valueAt(chunk)
      chunks.decode(
        bytes.slice(from, table.bytesIn(chunk), "a chunk"),
        table.valuesIn(chunk),
        unit.rows.intersect(RowRange(start, table.valueAt(chunk + 1))).relativeTo(start),
        values,
        levels
      )
      chunk += 1
    }
  }
}

private object MiniBlockPage {
  final val LargeItem = 4096L
}
