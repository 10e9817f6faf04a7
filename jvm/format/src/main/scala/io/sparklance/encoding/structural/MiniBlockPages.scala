package io.sparklance.encoding.structural

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, DataBlock, RowRange, Slice}
import io.sparklance.encoding.{DecodeUnit, Layers, Levels, OpenPage}

/** A mini-block page with its chunk words, dictionary and repetition index in memory.
  *
  * @param valueBytes
  *   approximate bytes of a decoded value
  */
sealed abstract private class MiniBlockRows(
    table: ChunkTable,
    data: ByteRange,
    chunks: MiniBlockChunks,
    valueBytes: Long
) extends OpenPage {
  final def layers: Layers = chunks.layers

  /** Whether to decode chunks row by row: positions of large items could expand to more than the memory
    * holds.
    */
  final protected val inParts: Boolean = chunks.dictionary.isDefined && valueBytes > MiniBlockRows.LargeItem

  /** Returns the end of a unit that has at least the chunks `[from, to)`. Tightly packed values limit it as
    * well, so that the decoded values stay small.
    */
  final protected def unitEnd(from: Int, to: Int, end: Int, targetBytes: Int): Int = {
    var last = to
    while (
      last < end && table.byteAt(last + 1) - table.byteAt(from) <= targetBytes &&
      (inParts || (table.valueAt(last + 1) - table.valueAt(from)) * valueBytes <= 4L * targetBytes)
    ) last += 1
    last
  }

  final protected def unit(rows: RowRange, from: Int, to: Int): DecodeUnit =
    DecodeUnit(rows, data.slice(table.byteAt(from), table.byteAt(to) - table.byteAt(from)))

  /** @param bytes the bytes of a unit that starts with chunk `first` */
  final protected def chunkBytes(chunk: Int, first: Int, bytes: Slice): Slice =
    bytes.slice(table.byteAt(chunk) - table.byteAt(first), table.bytesIn(chunk), "a chunk")
}

private object MiniBlockRows {
  final val LargeItem = 4096L
}

/** A page without lists: its rows are its values. */
final private class MiniBlockPage(
    table: ChunkTable,
    data: ByteRange,
    chunks: MiniBlockChunks,
    valueBytes: Long
) extends MiniBlockRows(table, data, chunks, valueBytes) {

  def units(rows: RowRange, targetBytes: Int): Iterator[DecodeUnit] =
    if (rows.isEmpty) Iterator.empty
    else {
      val end = table.containing(rows.end - 1) + 1
      Iterator
        .iterate(table.containing(rows.start))(from => unitEnd(from, from + 1, end, targetBytes))
        .takeWhile(_ < end)
        .map { from =>
          val to = unitEnd(from, from + 1, end, targetBytes)
          unit(RowRange(table.valueAt(from), table.valueAt(to)), from, to)
        }
        .map(whole => if (inParts) whole.copy(rows = whole.rows.intersect(rows)) else whole)
    }

  def decode(unit: DecodeUnit, bytes: Slice, values: DataBlock, levels: Levels): Unit = {
    val first = table.containing(unit.rows.start)
    var chunk = first
    while (chunk < table.length && table.valueAt(chunk) < unit.rows.end) {
      val start = table.valueAt(chunk)
      val wanted = unit.rows.intersect(RowRange(start, table.valueAt(chunk + 1))).relativeTo(start)
      chunks.decode(chunkBytes(chunk, first, bytes), table.valuesIn(chunk), wanted, values, levels)
      chunk += 1
    }
  }

  /** Candidates exist for units of one chunk only. */
  override def candidates(unit: DecodeUnit, bytes: Slice, scratch: DataBlock): Option[DataBlock] = {
    val chunk = table.containing(unit.rows.start)
    if (unit.rows.end > table.valueAt(chunk + 1)) None
    else chunks.candidates(chunkBytes(chunk, chunk, bytes), table.valuesIn(chunk), scratch)
  }
}

/** A page with lists, whose rows start and end anywhere in chunks. A unit begins at any row and ends with the
  * last row that its chunks complete; parts of other rows in its first and last chunk are dropped.
  */
final private class MiniBlockListPage(
    table: ChunkTable,
    index: RepetitionIndex,
    data: ByteRange,
    chunks: MiniBlockChunks,
    valueBytes: Long
) extends MiniBlockRows(table, data, chunks, valueBytes) {

  def units(rows: RowRange, targetBytes: Int): Iterator[DecodeUnit] =
    if (rows.isEmpty) Iterator.empty
    else {
      val end = index.endOf(rows.end - 1) + 1
      Iterator.unfold(rows.start) { start =>
        Option.when(start < rows.end) {
          val from = index.startOf(start)
          val to = unitEnd(from, index.endOf(start) + 1, end, targetBytes)
          val next = if (inParts) math.min(rows.end, index.endedBefore(to)) else index.endedBefore(to)
          (unit(RowRange(start, next), from, to), next)
        }
      }
    }

  def decode(unit: DecodeUnit, bytes: Slice, values: DataBlock, levels: Levels): Unit = {
    val first = index.startOf(unit.rows.start)
    val last = index.endOf(unit.rows.end - 1)
    var chunk = first
    while (chunk <= last) {
      decodeChunk(chunk, chunkBytes(chunk, first, bytes), unit.rows, values, levels)
      chunk += 1
    }
  }

  /** Appends the part of `rows` that a chunk holds. */
  private def decodeChunk(chunk: Int, bytes: Slice, rows: RowRange, out: DataBlock, levels: Levels): Unit = {
    val count = table.valuesIn(chunk)
    val slot = levels.length
    chunks.decodeLevels(bytes, count, levels)
    checkStarts(chunk, levels, slot)
    // Rows of the chunk, counted from the first that starts in it. A row continued from the previous chunk is
    // -1.
    val wanted = rows.relativeTo(index.startedBefore(chunk))
    val from = if (wanted.start < 0) slot else startOfRow(wanted.start, levels, slot)
    val end = startOfRow(wanted.end, levels, slot)
    val skipped = levels.visible(slot, from, layers.maxVisible)
    val kept = levels.visible(from, end, layers.maxVisible)
    appendValues(bytes, count, skipped, kept, out, levels)
    levels.keep(slot, from, end)
  }

  private def startOfRow(n: Long, levels: Levels, from: Int): Int =
    RepDef.startOfRow(n, levels.repetition, from, levels.length, layers.maxRepetition)

  private def appendValues(
      bytes: Slice,
      count: Int,
      skipped: Int,
      kept: Int,
      out: DataBlock,
      levels: Levels
  ): Unit = {
    val before = out.length
    chunks.decodeValues(bytes, count, RowRange(skipped.toLong, skipped.toLong + kept), out, levels)
    if (chunks.dictionary.isEmpty) {
      out.truncate(before + skipped + kept)
      out.discard(before, skipped)
    }
  }

  /** Checks that index and levels of a chunk agree. */
  private def checkStarts(chunk: Int, levels: Levels, from: Int): Unit = {
    val max = layers.maxRepetition
    val starts = RepDef.rowStarts(levels.repetition, from, levels.length, max)
    if (starts != index.startsIn(chunk))
      throw new LanceFormatException(
        s"$starts rows start in a chunk where the repetition index has ${index.startsIn(chunk)}"
      )
    val startsAnew = levels.length > from && (levels.repetition(from) & 0xffff) == max
    if (startsAnew == index.hasPreamble(chunk))
      throw new LanceFormatException("a chunk and the repetition index differ in whether a row goes on in it")
  }
}
