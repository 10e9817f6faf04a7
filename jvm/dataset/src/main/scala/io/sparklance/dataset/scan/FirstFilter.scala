package io.sparklance.dataset.scan

import io.sparklance.dataset.predicate.{LeafValues, RowFilter}
import io.sparklance.file.FileScan
import io.sparklance.schema.Leaf

/** Finds rows that pass the first filter, whose columns it decodes for every row.
  *
  * @param filter
  *   None if only `top` drops rows
  * @param top
  *   drops rows that are not among the first of an order, if no other filter follows
  * @param values
  *   of the columns of `scans`
  */
final private class FirstFilter(
    scans: StreamedColumns,
    filter: Option[RowFilter],
    top: Option[TopStage],
    values: Leaf => LeafValues,
    live: LiveRows,
    val found: PendingRows,
    batchRows: Int
) extends RowSource {

  def advance(): Boolean = {
    live.pass(scans.skipRejected())
    val end = scans.fill(math.min(batchRows.toLong, live.remaining).toInt)
    val lived = live.look(end)
    val passed = filter.fold(lived)(_.narrow(values, live.positions, lived))
    val count = top.fold(passed)(_.narrow(live.positions, passed))
    if (count > 0) {
      found.rows.append(live.rows, live.positions, count)
      found.append(found.sources, 0, live.positions, count, found.parts)
    }
    scans.drop(end)
    live.pass(end.toLong)
    end > 0
  }
}

/** Columns that are decoded for every row. */
final private class StreamedColumns(scans: Vector[FileScan], val parts: Vector[LeafPart]) {

  /** Decodes some of the next `wanted` rows and returns their number. */
  def fill(wanted: Int): Int = scans.foldLeft(wanted)((rows, scan) => scan.fill(rows))

  /** Keeps the rows at `positions[0 until count]` of the first `of` rows. */
  def retain(positions: Array[Int], count: Int, of: Int): Unit = {
    scans.foreach(_.advance(of))
    if (count < of) parts.foreach(_.retain(positions, count, of))
  }

  /** Drops the first `n` rows. */
  def drop(n: Int): Unit = {
    scans.foreach(_.advance(n))
    discard(n)
  }

  /** Drops the first `n` rows, which [[retain]] kept. */
  def discard(n: Int): Unit = parts.foreach(_.discardHead(n))

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
}
