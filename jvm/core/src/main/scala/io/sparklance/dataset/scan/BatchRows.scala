package io.sparklance.dataset.scan

import io.sparklance.dataset.predicate.{LeafValues, RowFilter}
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.file.{FileScan, FileSelection}
import io.sparklance.schema.Leaf

/** Columns that are decoded for every row: those of files, and structs without fields, which are in none.
  *
  * @param parts
  *   of the columns of `scans`
  * @param filter
  *   of values in these columns, if there is one
  * @param top
  *   drops rows that are not among the first of an order, by a leaf of these columns
  */
final private case class StreamedStage(
    scans: Vector[FileScan],
    parts: Vector[LeafPart],
    emptyStructs: Vector[LeafPart],
    filter: Option[RowFilter],
    top: Option[TopStage]
) {
  private val all = parts ++ emptyStructs

  /** Decodes some of the next `wanted` rows and returns their number. */
  def fill(wanted: Int): Int = {
    val rows = scans.foldLeft(wanted)((rows, scan) => scan.fill(rows))
    emptyStructs.foreach(p => LeafColumn.appendStructs(p.column, rows - p.column.length))
    rows
  }

  /** Keeps the rows at `positions[0 until count]` of the first `of` rows. */
  def retain(positions: Array[Int], count: Int, of: Int): Unit = {
    scans.foreach(_.advance(of))
    if (count < of) all.foreach(_.retain(positions, count, of))
  }

  /** Skips rows that chunks rule out before they are decoded, and returns their number. */
  def skipRejected(): Long = {
    var skipped = 0L
    var n = rejected
    while (n > 0) {
      scans.foreach(_.skip(n))
      skipped += n
      n = rejected
    }
    skipped
  }

  private def rejected: Long = scans.foldLeft(0L)((n, scan) => if (n > 0) n else scan.rejected)

  def discard(n: Int): Unit = all.foreach(_.discardHead(n))
}

/** Columns that are decoded for the rows that passed the stages before (late materialization).
  *
  * @param filter
  *   of values in these columns, if there is one
  */
final private case class SelectedStage(files: Vector[FileSelection], filter: Option[RowFilter]) {

  /** Decodes chosen rows, and returns how many of the first `count` it decoded. */
  def select(live: LiveRows, count: Int): Int =
    files.foldLeft(count)((n, file) => file.select(live.rows, live.positions, n))

  def retain(positions: Array[Int], count: Int, of: Int): Unit = files.foreach(_.retain(positions, count, of))
  def discard(n: Int): Unit = files.foreach(_.discard(n))
}

/** Makes batches of the live rows that pass the filters. Decodes in three stages: what the first filter and
  * the order of a top-N read need, what the second filter needs, and the rest, for the remaining rows only.
  *
  * A batch ends before the first row that is too large for it. Values decoded from that row on stay for the
  * next batch, whose first rows they are; the filters decide about them again in the same way.
  *
  * @param rest
  *   columns that no filter needs
  * @param values
  *   of the leaves that filters need
  */
final private class BatchRows(
    streamed: StreamedStage,
    tested: SelectedStage,
    rest: SelectedStage,
    values: Leaf => LeafValues,
    live: LiveRows,
    batchRows: Int
) {
  import streamed.top

  private val passing = new Array[Int](if (tested.filter.isDefined) batchRows else 0)
  private var count = 0
  private var end = 0

  /** The number of rows in the batch, which are at the first positions of `live`. */
  def rowCount: Int = count

  /** Reads the next rows, `wanted` at most; rows that are skipped without decoding do not count. */
  def read(wanted: Int): Unit = {
    discard()
    live.pass(streamed.skipRejected())
    val most = top.fold(wanted)(stage => math.min(stage.most, wanted))
    end = streamed.fill(math.min(most.toLong, live.remaining).toInt)
    count = live.look(end)
    count = streamed.filter.fold(count)(_.narrow(values, live.positions, count))
    if (count > 0) tested.filter.fold(finish())(test)
    top.foreach(_.pass(end))
    streamed.retain(live.positions, count, end)
    live.pass(end.toLong)
  }

  private def discard(): Unit = {
    streamed.discard(count)
    tested.discard(count)
    rest.discard(count)
    count = 0
  }

  /** Completes a batch without a second filter. */
  private def finish(): Unit = {
    top.foreach(takeTop)
    if (count > 0) cut(rest.select(live, count))
  }

  private def takeTop(stage: TopStage): Unit = {
    count = stage.narrow(live.positions, count, end)
    BatchRows.keep(live.positions, stage.kept, count)
  }

  /** Applies the second filter and completes the batch. */
  private def test(second: RowFilter): Unit = {
    cut(tested.select(live, count))
    var of = count
    var i = 0
    while (i < count) { passing(i) = i; i += 1 }
    count = second.narrow(values, passing, count)
    BatchRows.keep(live.positions, passing, count)
    top.foreach { stage =>
      takeTop(stage)
      BatchRows.keep(passing, stage.kept, count)
    }
    val decoded = if (count > 0) rest.select(live, count) else 0
    if (decoded < count) of = passing(decoded)
    cut(decoded)
    tested.retain(passing, count, of)
  }

  /** Ends the batch after the first `decoded` of its rows. */
  private def cut(decoded: Int): Unit = if (decoded < count) {
    end = live.positions(decoded)
    count = decoded
  }
}

private object BatchRows {

  /** Moves the numbers at ascending `places` to the front. */
  private def keep(numbers: Array[Int], places: Array[Int], count: Int): Unit = {
    var i = 0
    while (i < count) { numbers(i) = numbers(places(i)); i += 1 }
  }
}
