package io.sparklance.file

import scala.collection.mutable

import io.sparklance.Location
import io.sparklance.data.{ByteRange, Slice}
import io.sparklance.encoding.PageDecoder
import io.sparklance.io.{IoClient, RangeCoalescer, Read, ReadableFile}

/** Where the bytes of a column come from: decoding says which it needs, and waits here. */
private[file] trait ScanBytes {

  /** What opens a page; the arrays are the caller's. */
  def init(ranges: Vector[ByteRange]): Vector[Slice]

  /** The pages of a column and what is in them.
    *
    * @param plan evaluated when something is read
    * @param decoder what can decode a page
    */
  def column(
      location: Location,
      plan: => Vector[PlannedPage],
      decoder: PlannedPage => PageDecoder
  ): ColumnReads
}

/** Reads of all columns of a scan. With a store that is read ahead, they are asked for by their rows, least first, until the
  * task has as much under way or undecoded as it may.
  */
final private[file] class ScanReads(
    file: ReadableFile,
    io: IoClient,
    columnCount: Int,
    counts: ScanCounts
) {
  // Those that may still ask for something ahead.
  private val columns = mutable.ArrayBuffer.empty[ColumnReads]
  private var hasBegun = false

  /** What a column asks for at a time, about. */
  val windowBytes: Int =
    math.max(16L << 10, math.min(256L << 10, (64L << 20) / math.max(1, columnCount))).toInt

  /** Bytes that are rather read in vain than skipped. */
  def maxGap: Long = io.profile.maxGap

  /** @param perRow how many rows of the column make one of the file */
  def ofRows(perRow: Int): ScanBytes = new Bytes(perRow, io.profile.readAhead > 0)

  /** For columns whose plan cannot be told ahead, since it depends on what others hold. */
  def onDemand: ScanBytes = new Bytes(1, isAhead = false)

  private class Bytes(perRow: Int, isAhead: Boolean) extends ScanBytes {
    def init(ranges: Vector[ByteRange]): Vector[Slice] = FileRanges.read(file, ranges)

    def column(
        location: Location,
        plan: => Vector[PlannedPage],
        decoder: PlannedPage => PageDecoder
    ): ColumnReads = {
      val reads = new ColumnReads(location, plan, decoder, ScanReads.this, perRow, isAhead)
      if (isAhead) columns += reads
      reads
    }
  }

  /** Bytes to ask for; a range outside of the file is refused. */
  def fetch(ranges: Vector[ByteRange], row: Long): Fetch = Fetch.of(file, ranges, row)

  /** Asks for all of `fetches`, by as few requests as is sensible. */
  def begin(fetches: Vector[Fetch]): Unit = {
    val wanted = for (f <- fetches; i <- f.ranges.indices if f.ranges(i).length > 0) yield (f, i)
    val groups = RangeCoalescer.coalesce(
      wanted.map { case (fetch, i) => fetch.ranges(i) },
      io.profile.maxGap,
      io.profile.maxLength
    )
    val reads = groups.flatMap { group =>
      val members = group.members.map(wanted)
      val array = io.buffers.take(group.range.length.toInt)
      val row = members.iterator.map(_._1.row).min
      val parts = RangeCoalescer.split(group.range, io.profile.maxLength).map { part =>
        new Read(file, part, row, array, (part.offset - group.range.offset).toInt)
      }
      val buffer = new SharedBuffer(group.range.offset, array, parts, members.size)
      members.foreach { case (fetch, i) => fetch.place(i, buffer) }
      parts
    }
    fetches.foreach(_.begin(io))
    io.begin(reads)
  }

  def plannedPages(count: Int): Unit = counts.plannedPages(count)
  def openedPage(): Unit = counts.openedPage()

  def await(fetch: Fetch): Vector[Slice] = fetch.await(io)
  def release(fetch: Fetch): Unit = fetch.release(io)

  /** Asks for what comes next, if a good part of what may be asked for ahead is free: then neighbours are asked for
    * together. At the start it waits for what opens the first page of each column, without which there is no batch.
    */
  def askAhead(): Unit = if (columns.nonEmpty && io.room >= io.profile.readAhead / 4) {
    val unopened = askByRow()
    if (!hasBegun) {
      hasBegun = true
      unopened.foreach(_.open())
      val _ = askByRow()
    }
  }

  /** Asks for as much as there is room for, but for nothing behind a row at which a column has to wait until it knows where
    * its bytes are. Gives these columns.
    */
  private def askByRow(): Vector[ColumnReads] = {
    columns.filterInPlace(_.hasMore)
    val byRow = mutable.PriorityQueue.from(columns)(Ordering.by((c: ColumnReads) => -c.row))
    val fetches = Vector.newBuilder[Fetch]
    val waiting = Vector.newBuilder[ColumnReads]
    var room = io.room
    var lastRow = Long.MaxValue
    while (room > 0 && byRow.nonEmpty && byRow.head.row <= lastRow) {
      val column = byRow.dequeue()
      column.ask() match {
        case Some(fetch) =>
          fetches += fetch
          room -= fetch.cost
          if (column.hasMore) byRow += column
        case None if column.hasMore =>
          waiting += column
          lastRow = column.row
        case None => ()
      }
    }
    begin(fetches.result())
    waiting.result()
  }
}
