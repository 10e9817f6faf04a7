package io.sparklance.dataset.scan

import io.sparklance.file.{FileSelection, ReadAhead}

/** Decodes columns of the rows that a stage before finds. On stores that are read ahead, the stage before
  * looks ahead over many batches, so that the bytes of all found rows are requested together.
  *
  * @param top
  *   an order whose first rows are found: others displace some of them before their bytes are requested
  */
final private class SelectedStage(
    val source: RowSource,
    files: Vector[FileSelection],
    ahead: ReadAhead,
    batchRows: Int,
    top: Option[TopStage] = None
) {
  private val search = new LookAhead(source, ahead, batchRows, examinesAll = top.isDefined)
  private var selected = 0
  // The number of the first row for which nothing can be requested yet.
  private var requested = 0L

  /** Finds rows, and requests their bytes without waiting for them. Returns whether all rows are found, and
    * there is room to request more.
    */
  def lookAhead(): Boolean = {
    search.fill()
    (if (top.isEmpty) requestFound() else ahead.hasRoom) && !search.hasMore
  }

  private def requestFound(): Boolean = {
    requested = source.found.rows.end
    ahead.proceed()
  }

  /** Finds rows, at least one if there is one left. */
  private def find(): Unit = {
    search.fill()
    recheck()
    while (source.found.count == 0 && search.hasMore) {
      search.fill()
      recheck()
    }
  }

  private def recheck(): Unit =
    if (ahead.isAhead && source.found.rows.first >= requested) top.foreach(_.recheck(source.found))

  /** Decodes the next rows, at most a batch. They are the first of `source.found`. Returns their number; 0 at
    * the end.
    */
  def next(): Int = {
    find()
    val wanted = math.min(batchRows, source.found.count)
    if (wanted > 0) {
      val rows = source.found.rows
      requested = rows.end
      ahead.request(needed = rows(rows.first), last = rows(rows.first + wanted - 1))
      selected = files.foldLeft(wanted)((n, file) => file.select(n))
    }
    selected
  }

  /** Drops the rows of the last [[next]]. */
  def drop(): Unit = if (selected > 0) {
    files.foreach(_.discard(selected))
    source.found.drop(selected)
    selected = 0
  }
}

/** Decides how far the stage that finds rows is ahead of the stage that completes them.
  *
  * @param examinesAll
  *   whether rows that are found may be dropped because of later ones
  */
final private class LookAhead(source: RowSource, ahead: ReadAhead, batchRows: Int, examinesAll: Boolean) {
  // Rows to be found before they are completed.
  private var window =
    if (!ahead.isAhead) batchRows.toLong
    else if (examinesAll) LookAhead.MostRows
    else batchRows * LookAhead.Growth
  private var more = true

  /** Whether rows are left to examine. */
  def hasMore: Boolean = more

  /** Finds rows: at least one, if there is one left. More are looked for when half of the last ones are
    * completed, so that the bytes of many are requested together.
    */
  def fill(): Unit = if (found == 0 || ahead.isAhead && found < window / 2 && hasSpace) {
    val wanted = if (ahead.isAhead) window else batchRows / 2L + 1
    var examined = 0L
    val most = if (ahead.isAhead) LookAhead.MostRows else window
    while (more && (found == 0 || found < wanted && examined < most && hasSpace)) {
      more = source.advance()
      examined += batchRows
    }
    window = math.min(LookAhead.Growth * window, LookAhead.MostRows)
  }

  private def found: Int = source.found.count

  private def hasSpace: Boolean =
    source.found.sizeInBytes < LookAhead.MostBytes && (!ahead.isAhead || ahead.hasRoom)
}

private object LookAhead {

  /** Windows are small at first, so that the first rows come early. */
  final private val Growth = 4L

  /** Rows that are examined at once if few are found. That takes less time than some requests. */
  final private val MostRows = 1L << 20

  /** Bytes of values of found rows. */
  final private val MostBytes = 8L << 20
}
