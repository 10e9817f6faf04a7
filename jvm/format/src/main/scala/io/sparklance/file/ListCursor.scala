package io.sparklance.file

import io.sparklance.data.{Column, ListBlock, RowRange, RowRanges}
import io.sparklance.encoding.ListPage
import io.sparklance.encoding.pages.ListPages
import io.sparklance.schema.Field
import io.sparklance.{LanceFormatException, Location, UnsupportedLanceFeatureException}

/** Lists of a file before version 2.1: a column of where they end, and below it one of their items, whose
  * rows are numbered on their own. Which of those a range of lists has is known when the pages at its ends
  * are read.
  *
  * @param rows
  *   evaluated when the first of them is asked for
  * @param maxBytes
  *   that the items of one stretch of lists may take
  * @param below
  *   makes the cursor of the items, of rows that it evaluates as late
  */
final private[file] class ListCursor(
    location: Location,
    field: Field,
    lists: ColumnMetadata,
    rows: => RowRanges,
    itemBytes: Long,
    maxBytes: Long,
    bytes: ScanBytes,
    below: (() => RowRanges) => RowCursor
) extends RowCursor {
  private val firstItems = ListCursor.firstItems(location, lists)
  private lazy val planned = FilePlan.pages(lists, rows)
  // If all lists of a page are wanted, its items are known without reading it.
  private lazy val opened = planned.filterNot(_.isAll).map(page => page.index -> open(page)).toMap

  private val items = below(() => itemRows)
  private val block = new ListBlock(items.column)
  val column: Column = new Column(block)

  private lazy val remaining = planned.iterator
  private var page: Option[PageCursor] = None

  def ensure(rows: Int): Int = {
    // How large the next items are is seen only when they are decoded, so stretches start small and grow.
    var step = ColumnCursor.FirstRows
    while (column.length < rows && (column.length == 0 || room > 0)) {
      append(math.min(step, (rows - column.length).toLong), math.max(1L, room / itemBytes))
      step = math.min(2 * step, Int.MaxValue.toLong)
    }
    math.min(rows, column.length)
  }

  def complete(rows: Int): Unit =
    while (column.length < rows) append((rows - column.length).toLong, Int.MaxValue.toLong)

  private def room: Long = ColumnCursor.BatchBytes - column.values.sizeInBytes

  /** Returns the items of the lists `rows`. */
  private def itemRows: RowRanges = RowRanges.of(planned.flatMap { page =>
    val first = firstItems(page.index)
    opened.get(page.index).fold(Vector(RowRange(first, firstItems(page.index + 1)))) { lists =>
      page.rows.ranges.map(rows =>
        RowRange(first + lists.itemsBefore(rows.start), first + lists.itemsBefore(rows.end))
      )
    }
  })

  /** Appends at most `count` lists and `atMost` items, but one list at least. */
  private def append(count: Long, atMost: Long): Unit = {
    if (page.forall(_.isDone)) page = Some(new PageCursor(remaining.next()))
    page.foreach(_.append(count, atMost))
  }

  /** Completes items in steps, since a page of nulls has any number of items in no bytes. */
  private def completeItems(wanted: Int): Unit = while (items.column.length < wanted) {
    if (items.column.values.sizeInBytes > maxBytes)
      throw new UnsupportedLanceFeatureException(s"a list with more than $maxBytes bytes of items")
    items.complete(math.min(wanted.toLong, items.column.length + ListCursor.StepItems).toInt)
  }

  private def open(planned: PlannedPage): ListPage = {
    import planned.page.{buffers, description}
    LanceFormatException.locating(location.copy(page = Some(planned.index))) {
      val plan = ListPages.plan(description, buffers, planned.page.rows, planned.rows.hull)
      plan.open(bytes.init(plan.initRanges))
    }
  }

  final private class PageCursor(planned: PlannedPage) {
    private val page = opened.getOrElse(planned.index, open(planned))
    private val ranges = planned.rows.ranges.iterator
    private var range = ranges.next()
    private var position = range.start

    def isDone: Boolean = position >= range.end

    def append(count: Long, atMost: Long): Unit =
      LanceFormatException.locating(location.copy(page = Some(planned.index))) {
        val most = RowRange(position, math.min(position + count, range.end))
        val some = page.fitting(most, atMost)
        val added = page.itemsBefore(some.end) - page.itemsBefore(some.start)
        completeItems(Math.toIntExact(Math.addExact(block.itemCount.toLong, added)))
        page.append(some, block, column.nulls)
        if (column.nulls.hasNulls && !field.nullable)
          throw new LanceFormatException(
            s"a null in field '${field.name}', whose schema does not allow nulls"
          )
        position = some.end
        if (position == range.end && ranges.hasNext) {
          range = ranges.next()
          position = range.start
        }
      }
  }
}

private[file] object ListCursor {
  final private val StepItems = 1L << 16

  /** Returns the first item of each page, and at the end the number of items. */
  def firstItems(location: Location, lists: ColumnMetadata): Vector[Long] =
    LanceFormatException.locating(location) {
      lists.pages.scanLeft(0L)((sum, page) => Math.addExact(sum, ListPages.items(page.description)))
    }
}
