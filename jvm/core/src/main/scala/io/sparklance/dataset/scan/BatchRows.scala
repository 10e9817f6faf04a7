package io.sparklance.dataset.scan

import io.sparklance.dataset.predicate.{LeafValues, RowFilter}
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.file.{FileScan, FileSelection}
import io.sparklance.schema.Leaf

/** Columns that are decoded row after row: those of files, and structs of nothing, which are in none.
  *
  * @param parts of the columns of `scans`
  */
final private case class Streamed(
    scans: Vector[FileScan],
    parts: Vector[LeafPart],
    emptyStructs: Vector[LeafPart]
) {
  private val all = parts ++ emptyStructs

  /** Decodes some of the next `wanted` rows, and says how many. */
  def fill(wanted: Int): Int = {
    val rows = scans.foldLeft(wanted)((rows, scan) => scan.fill(rows))
    emptyStructs.foreach(p => LeafColumn.appendStructs(p.column, rows - p.column.length))
    rows
  }

  /** Of the first `of` rows keeps those at `positions[0 until count]`. */
  def retain(positions: Array[Int], count: Int, of: Int): Unit = {
    scans.foreach(_.advance(of))
    if (count < of) all.foreach(_.retain(positions, count, of))
  }

  /** Leaves out rows of which it is known, before they are decoded, that no filter lets them through; says how many. */
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

/** Makes batches of the live rows that pass a filter. What the filter needs is decoded first, in two steps, as is what an order
  * needs of which only the first rows are wanted; of all else only the rows that are left.
  *
  * A batch ends before the first row that is too large for it. What was decoded of that row and others behind it stays for
  * the next batch, which finds them to be its first: the filter says the same again.
  *
  * @param filter of values in `streamed`, if there is one
  * @param second one of values in `tested`
  * @param top one by an order of values in `streamed`
  * @param rest what none of them needs
  */
final private class BatchRows(
    streamed: Streamed,
    filter: Option[RowFilter],
    tested: Vector[FileSelection],
    second: Option[RowFilter],
    top: Option[TopStage],
    rest: Vector[FileSelection],
    values: Leaf => LeafValues,
    live: LiveRows,
    batchRows: Int
) {
  private val passing = new Array[Int](if (second.isDefined) batchRows else 0)
  private var count = 0
  private var end = 0

  /** How many rows are in the batch, at the first of the positions of `live`. */
  def rowCount: Int = count

  /** Goes through some of the next rows, `wanted` of them at most if they have to be decoded. */
  def read(wanted: Int): Unit = {
    discard()
    live.pass(streamed.skipRejected())
    val most = top.fold(wanted)(stage => math.min(stage.most, wanted))
    end = streamed.fill(math.min(most.toLong, live.remaining).toInt)
    count = live.look(end)
    count = filter.fold(count)(_.narrow(values, live.positions, count))
    if (count > 0) second.fold(finish())(test)
    top.foreach(_.pass(end))
    streamed.retain(live.positions, count, end)
    live.pass(end.toLong)
  }

  private def discard(): Unit = {
    streamed.discard(count)
    tested.foreach(_.discard(count))
    rest.foreach(_.discard(count))
    count = 0
  }

  /** All that follows on the first filter if there is no second one. */
  private def finish(): Unit = {
    top.foreach(takeTop)
    if (count > 0) cut(choose(rest))
  }

  private def takeTop(stage: TopStage): Unit = {
    count = stage.narrow(live.positions, count, end)
    BatchRows.keep(live.positions, stage.kept, count)
  }

  /** The second filter and what follows on it. */
  private def test(second: RowFilter): Unit = {
    cut(choose(tested))
    var of = count
    var i = 0
    while (i < count) { passing(i) = i; i += 1 }
    count = second.narrow(values, passing, count)
    BatchRows.keep(live.positions, passing, count)
    top.foreach { stage =>
      takeTop(stage)
      BatchRows.keep(passing, stage.kept, count)
    }
    val there = if (count > 0) choose(rest) else 0
    if (there < count) of = passing(there)
    cut(there)
    tested.foreach(_.retain(passing, count, of))
  }

  /** How many of the rows at hand are there in all columns. */
  private def choose(files: Vector[FileSelection]): Int =
    files.foldLeft(count)((n, file) => file.select(live.rows, live.positions, n))

  /** Ends the batch before the first row that is not there. */
  private def cut(there: Int): Unit = if (there < count) {
    end = live.positions(there)
    count = there
  }
}

private object BatchRows {

  /** Moves the numbers at increasing `places` to the front. */
  private def keep(numbers: Array[Int], places: Array[Int], count: Int): Unit = {
    var i = 0
    while (i < count) { numbers(i) = numbers(places(i)); i += 1 }
  }
}
