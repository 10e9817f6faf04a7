package io.sparklance.file

import io.sparklance.data.{Column, DataBlock, FileVersion, RowRange, Slice, ValueShape}
import io.sparklance.encoding.DecodeUnit
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.schema.Leaf
import io.sparklance.{LanceFormatException, Location}

/** Walks the planned pages of one column and decodes as much as is asked for.
  *
  * Bytes come in windows of some hundred KiB, which suits disks; values leave in stretches of a batch, which
  * suits the processor's caches: a window of well compressed values may hold millions.
  *
  * @param plan
  *   evaluated when something is read
  * @param chunkFilter
  *   tells which values are wanted, if not all of them may be
  */
final private[file] class ColumnCursor(
    location: Location,
    plan: => Vector[PlannedPage],
    leaf: Leaf,
    version: FileVersion,
    bytes: ScanBytes,
    chunkFilter: Option[ChunkFilter] = None
) extends RowCursor {
  private val values = new LeafColumn(leaf)
  import values.shape
  val column: Column = values.column
  private lazy val scratch = DataBlock.forShape(shape)
  private val reads = bytes.column(location, plan, _.decoder(leaf, shape, version))
  private var page: Option[PageCursor] = None

  private val valueBytes = math.max(1L, ValueShape.minimumBytes(shape))

  def ensure(rows: Int): Int = {
    // How large the next strings and lists are is seen only when they are decoded, so stretches start small
    // and grow.
    var step = if (values.isVariable) ColumnCursor.FirstRows else Int.MaxValue.toLong
    while (column.length < rows && (column.length == 0 || room > 0)) {
      decode(math.min(math.max(1L, room / valueBytes), math.min(step, (rows - column.length).toLong)))
      step = math.min(2 * step, Int.MaxValue.toLong)
    }
    math.min(rows, column.length)
  }

  def complete(rows: Int): Unit = while (column.length < rows) decode((rows - column.length).toLong)

  override def rejected(): Long =
    if (column.length > 0) 0 else chunkFilter.fold(0L)(current.rejected)

  override def skip(rows: Long): Unit = {
    val decoded = math.min(rows, column.length.toLong).toInt
    column.discardHead(decoded)
    var left = rows - decoded
    while (left > 0) left -= current.skip(left)
  }

  private def decode(rows: Long): Unit = current.decode(rows.toInt)

  /** The page that has the next row. */
  private def current: PageCursor = page.filterNot(_.isDone).getOrElse {
    val next = new PageCursor(reads.nextPage())
    page = Some(next)
    next
  }

  private def room: Long = ColumnCursor.BatchBytes - column.values.sizeInBytes

  final private class PageCursor(opened: OpenedPage) {
    import opened.wanted
    private var ranges = wanted.ranges.toList
    private var window =
      Window(DecodeUnit(RowRange(wanted.start, wanted.start), ColumnCursor.NoBytes), Slice.Empty)
    private var position = wanted.start

    def isDone: Boolean = ranges.isEmpty

    /** Appends the next rows, about as many as `rows`. */
    def decode(rows: Int): Unit =
      LanceFormatException.locating(opened.location.copy(offset = Some(window.unit.bytes.offset))) {
        if (position >= window.unit.rows.end) fetch()
        val end = math.min(position + rows, math.min(window.unit.rows.end, ranges.head.end))
        opened.page.units(RowRange(position, end), Int.MaxValue).foreach(decode)
        if (position < end) throw noChunk
        if (isDone) reads.release()
      }

    /** Returns how many following rows are in one chunk without a wanted value, as far as is known. */
    def rejected(chunkFilter: ChunkFilter): Long =
      LanceFormatException.locating(opened.location.copy(offset = Some(window.unit.bytes.offset))) {
        if (position >= window.unit.rows.end) fetch()
        scratch.clear()
        val chunk = opened.page.units(RowRange(position, position + 1), 1).nextOption()
        val values = chunk.flatMap(unit => opened.page.candidates(unit, window.bytesOf(unit), scratch))
        if (values.forall(chunkFilter.mayPass)) 0
        else chunk.fold(0L)(unit => wantedTo(unit.rows.end).iterator.map(_.length).sum)
      }

    /** Leaves out up to `n` rows, and says how many. */
    def skip(n: Long): Long = {
      var left = n
      while (left > 0 && !isDone) {
        val range = ranges.head
        val from = math.max(position, range.start)
        val rows = math.min(left, range.end - from)
        // What is decoded next begins a range, and may so begin within a chunk.
        ranges =
          if (from + rows == range.end) ranges.tail else RowRange(from + rows, range.end) :: ranges.tail
        position = ranges.headOption.fold(wanted.end)(_.start)
        left -= rows
      }
      if (isDone) reads.release()
      n - left
    }

    /** The wanted rows from the next one to `end`. */
    private def wantedTo(end: Long): Vector[RowRange] = {
      val rest = RowRange(position, end)
      ranges.iterator.takeWhile(_.start < end).map(_.intersect(rest)).toVector
    }

    private def fetch(): Unit = {
      // A window may have nothing but what was decoded with the one before it.
      val windows = Iterator.continually(reads.nextWindow()).dropWhile(_.exists(_.unit.rows.end <= position))
      window = windows.next().getOrElse(throw noChunk)
    }

    private def noChunk = new LanceFormatException(s"no chunk holds row $position of the page")

    private def decode(unit: DecodeUnit): Unit = {
      val before = column.length
      // Only the first stretch of a range may start early: all others follow on what was decoded before.
      val startsEarly = unit.rows.start < position && position > ranges.head.start
      if (unit.rows.start > position || startsEarly || unit.rows.end <= position)
        throw new LanceFormatException(s"rows ${unit.rows} where row $position of the page should follow")
      values.decode(opened.page, unit, window.bytesOf(unit))
      keep(unit.rows, before)
    }

    /** Keeps the wanted rows of a unit, which follow the first `before` values of the column. */
    private def keep(rows: RowRange, before: Int): Unit = {
      val kept = wantedTo(rows.end)
      if (kept.size > 1) retain(kept.map(_.relativeTo(rows.start - before)), before)
      else {
        if (kept.head.end < rows.end) column.truncate(column.length - (rows.end - kept.head.end).toInt)
        column.discard(before, (position - rows.start).toInt)
      }
      ranges = ranges.dropWhile(_.end <= rows.end)
      position = ranges.headOption.fold(wanted.end)(range => math.max(range.start, rows.end))
    }

    /** Keeps the first `before` values of the column, and those of the ranges. */
    private def retain(ranges: Vector[RowRange], before: Int): Unit = {
      val positions = new Array[Int](before + ranges.iterator.map(_.length.toInt).sum)
      var count = 0
      (RowRange(0, before.toLong) +: ranges).foreach { range =>
        var i = range.start.toInt
        while (i < range.end) {
          positions(count) = i
          count += 1
          i += 1
        }
      }
      column.retain(positions, count, column.length)
    }
  }
}

private object ColumnCursor {

  /** Bytes of a batch's column, at most, unless a single row or chunk is larger. Larger ones would leave the
    * processor's cache before they are used: embeddings take a quarter less time than with 8 MiB.
    */
  final val BatchBytes = 1L << 20
  final val FirstRows = 16L
  private val NoBytes = io.sparklance.data.ByteRange(0, 0)
}
