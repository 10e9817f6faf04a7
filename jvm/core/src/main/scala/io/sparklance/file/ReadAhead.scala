package io.sparklance.file

import scala.collection.mutable

import io.sparklance.Location
import io.sparklance.data.{ByteRange, Slice}
import io.sparklance.encoding.PageDecoder

/** The bytes of columns. Decoding says which it needs next, and waits here. */
private[file] trait ScanBytes {

  /** Reads what opens a page, into arrays that the caller owns. */
  def init(ranges: Vector[ByteRange]): Vector[Slice]

  /** The pages of a column and their bytes.
    *
    * @param plan
    *   evaluated at the first read
    * @param decoder
    *   makes the decoder of a page
    */
  def column(
      location: Location,
      plan: => Vector[PlannedPage],
      decoder: PlannedPage => PageDecoder
  ): ColumnStream
}

/** Owns the read-ahead of a scan. If the store is read ahead, it requests bytes of all columns in the order
  * of their rows, until the task has as much under way or undecoded as it may.
  *
  * Calls go one way: cursor → [[ColumnStream]] → ReadAhead → [[ColumnReads]] → [[PageReads]] → [[Fetcher]].
  */
final private[file] class ReadAhead(val fetcher: Fetcher) {
  // The columns that may have something left to request.
  private val columns = mutable.ArrayBuffer.empty[ColumnReads]
  private var hasBegun = false

  /** @param perRow rows of the column for each row of the file */
  def ofRows(perRow: Int): ScanBytes = new Bytes(perRow, fetcher.readAhead > 0)

  /** Reads for columns whose plan depends on the content of others, so that nothing can be requested ahead.
    */
  def onDemand: ScanBytes = new Bytes(1, isAhead = false)

  private class Bytes(perRow: Int, isAhead: Boolean) extends ScanBytes {
    def init(ranges: Vector[ByteRange]): Vector[Slice] = fetcher.read(ranges)

    def column(
        location: Location,
        plan: => Vector[PlannedPage],
        decoder: PlannedPage => PageDecoder
    ): ColumnStream = {
      val reads = new ColumnReads(location, plan, decoder, fetcher, perRow, isAhead)
      if (isAhead) columns += reads
      new ColumnStream(reads, ReadAhead.this)
    }
  }

  /** Requests what comes next once a quarter of the budget is free, so that neighbours are requested
    * together. Before the first batch, also waits for what opens the first page of each column, which that
    * batch needs in any case.
    */
  def request(): Unit = if (columns.nonEmpty && fetcher.room >= fetcher.readAhead / 4) {
    val unopened = requestByRow()
    if (!hasBegun) {
      hasBegun = true
      unopened.foreach(_.open())
      val _ = requestByRow()
    }
  }

  /** Requests as much as there is room for, but nothing after a row at which a column must wait until it
    * knows the place of its bytes. Returns these columns.
    */
  private def requestByRow(): Vector[ColumnReads] = {
    columns.filterInPlace(_.hasMore)
    val byRow = mutable.PriorityQueue.from(columns)(Ordering.by((c: ColumnReads) => -c.row))
    val fetches = Vector.newBuilder[Fetch]
    val waiting = Vector.newBuilder[ColumnReads]
    var room = fetcher.room
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
    fetcher.begin(fetches.result())
    waiting.result()
  }
}

/** The pages of a column and their windows, in the order in which they are decoded. */
final private[file] class ColumnStream(column: ColumnReads, ahead: ReadAhead) {

  /** Goes on to the next page. */
  def nextPage(): OpenedPage = {
    column.finishPage()
    ahead.request()
    column.beginPage()
  }

  /** The next window of the page, if it has one. Its bytes are valid until the next call. */
  def nextWindow(): Option[Window] = {
    column.release()
    ahead.request()
    column.nextWindow()
  }

  /** Gives back the bytes of the last window. */
  def release(): Unit = column.release()
}
