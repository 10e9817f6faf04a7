package io.sparklance.file

import scala.collection.mutable

import io.sparklance.Location
import io.sparklance.data.{ByteRange, Slice}
import io.sparklance.encoding.PageDecoder
import io.sparklance.io.ReadBudget

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

/** The bytes of columns of one file, for [[ReadAhead]] to request. */
final private[file] class FileBytes(val fetcher: Fetcher, val ahead: ReadAhead) {

  /** @param perRow rows of the column for each row of the file */
  def ofRows(perRow: Int): ScanBytes = new Bytes(perRow, ahead.isAhead)

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
      val largest = if (isAhead) () => ahead.wholePageBytes else () => 0L
      val reads = new ColumnReads(location, plan, decoder, fetcher, perRow, largest, isAhead)
      if (isAhead) ahead.add(reads)
      new ColumnStream(reads, ahead)
    }
  }
}

/** Owns the read-ahead of columns of one or more files. If the store is read ahead, it requests bytes of all
  * columns in the order of their rows, until the task has as much under way or undecoded as it may.
  *
  * Calls go one way: cursor → [[ColumnStream]] → ReadAhead → [[AheadColumn]] → [[PageReads]] → [[Fetcher]].
  */
final private[sparklance] class ReadAhead(val budget: ReadBudget) {
  // The columns that may have something left to request.
  private val columns = mutable.ArrayBuffer.empty[AheadColumn]
  private var columnCount = 0
  private var hasBegun = false

  /** Whether the store is read ahead. */
  def isAhead: Boolean = budget.isAhead

  private[file] def add(column: AheadColumn): Unit = {
    columns += column
    columnCount += 1
  }

  /** The largest page that is requested at once: the first ones of all columns must fit into the budget. */
  private[file] def wholePageBytes: Long = if (isAhead) budget.size / math.max(1, columnCount) else 0

  /** Requests what comes next once a quarter of the budget is free, so that neighbours are requested
    * together. Before the first batch, also waits for what opens the first page of each column, which that
    * batch needs in any case.
    */
  def request(): Unit = if (columns.nonEmpty && hasRoom) {
    val unopened = requestByRow(budget.room, needed = -1)
    if (!hasBegun) {
      hasBegun = true
      unopened.foreach(_.open())
      val _ = requestByRow(budget.room, needed = -1)
    }
  }

  /** Requests what comes next without waiting for anything. Returns whether there is room for more. */
  def proceed(): Boolean = hasRoom && {
    if (columns.nonEmpty) { val _ = requestByRow(budget.room, needed = -1) }
    hasRoom
  }

  /** Whether the first bytes of all columns are requested, besides what opens their first pages. */
  def hasBegunAll: Boolean = columns.forall(_.hasBegun)

  /** Requests what comes next as [[request]] does, and in any case all that the row `needed` takes. If pages
    * must be opened for it, or for rows to `last` while there is room, waits for those of all columns
    * together. If the budget is used up and not all of the rows to `last` are requested, requests more of
    * them together than one column after the other.
    */
  def request(needed: Long, last: Long): Unit = if (isAhead) {
    val isShort = !hasRoom && columns.exists(c => c.hasMore && c.row <= last)
    def more() = requestByRow(if (hasRoom) budget.room else if (isShort) budget.size / 4 else 0, needed)
    var unopened = more()
    def due = if (hasRoom) last else needed
    while (unopened.exists(_.row <= due)) {
      unopened.filter(_.row <= due).foreach(_.open())
      unopened = more()
    }
  }

  /** Whether enough of the budget is free for requests of a sensible size. */
  def hasRoom: Boolean = budget.room >= budget.size / 4

  /** Requests as much as there is room for, but nothing after a row at which a column must wait until it
    * knows the place of its bytes. Returns these columns.
    */
  private def requestByRow(free: Long, needed: Long): Vector[AheadColumn] = {
    columns.filterInPlace(!_.isEnded)
    val byRow =
      mutable.PriorityQueue.from(columns.iterator.filter(_.hasMore))(Ordering.by((c: AheadColumn) => -c.row))
    val fetches = Vector.newBuilder[(Fetcher, Fetch)]
    val waiting = Vector.newBuilder[AheadColumn]
    var room = free
    var lastRow = Long.MaxValue
    while (byRow.nonEmpty && byRow.head.row <= lastRow && (room > 0 || byRow.head.row <= needed)) {
      val column = byRow.dequeue()
      column.ask() match {
        case Some(fetch) =>
          fetches += column.fetcher -> fetch
          room -= fetch.cost
          if (column.hasMore) byRow += column
        case None if column.hasMore =>
          waiting += column
          lastRow = column.row
        case None => ()
      }
    }
    fetches.result().groupMap(_._1)(_._2).foreach { case (fetcher, some) => fetcher.begin(some) }
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
