package io.sparklance.dataset.nearest

import scala.util.Using

import io.sparklance.data.{Column, Fixed64Block, RowRanges}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.scan.{ReadStats, ScanPlan, Split, SplitReader, SplitTarget}
import io.sparklance.dataset.snapshot.{MetadataColumn, Snapshot}
import io.sparklance.io.ObjectStore
import io.sparklance.schema.Field
import io.sparklance.vector.{BoundTile, NearestSpec, Neighbors}

/** A further condition on rows, which the reader of a batch cannot evaluate. Belongs to one thread. */
private[sparklance] trait RowTest {

  /** Marks the rows of a batch that fail.
    *
    * @param columns
    *   values of the `tested` fields of [[NearestReader.splits]]
    * @param dropped
    *   a flag for each row
    */
  def drop(columns: Vector[Column], count: Int, dropped: Array[Boolean]): Unit
}

/** The answers of a split.
  *
  * @param answers
  *   the nearest rows of the split, for each query
  * @param compared
  *   vectors compared, once for each query vector
  * @param isRanked
  *   whether each row has a distance from each query
  */
final private[sparklance] case class SplitAnswers(
    answers: Vector[Neighbors],
    compared: Long,
    stats: ReadStats,
    isRanked: Boolean = false
)

/** Searches the live rows of splits for the vectors nearest to queries, without an index: one pass over
  * batches of vectors, each decoded once for all queries.
  */
private[sparklance] object NearestReader {

  /** Bytes of the vectors of a batch. */
  final private val BatchBytes = 1L << 20
  final private val MaxRows = 1 << 14

  /** Returns splits for a search.
    *
    * @param tested
    *   fields that a [[RowTest]] looks at
    */
  def splits(
      snapshot: Snapshot,
      spec: NearestSpec,
      tested: Vector[Field],
      target: SplitTarget,
      rows: RowRanges,
      predicate: Predicate
  ): Vector[Split] =
    ScanPlan.splits(
      snapshot,
      spec.column.field +: MetadataColumn.RowAddr.field +: tested,
      target,
      rows,
      predicate
    )

  /** Returns the nearest rows of a split.
    *
    * @param test
    *   opens a condition that rows must pass
    * @param proceed
    *   called for each batch; throws when the task is cancelled
    */
  def answer(
      store: ObjectStore,
      split: Split,
      spec: NearestSpec,
      test: Option[SplitReader => RowTest],
      proceed: () => Unit
  ): SplitAnswers = {
    val fitting = math.max(64L, math.min(MaxRows.toLong, BatchBytes / math.max(1L, spec.column.width))).toInt
    val batchRows = math.max(fitting, if (spec.queries.size > 1) BoundTile.rows(spec.column) else 0)
    val nearest = NearestRows.of(spec)
    val dropped = new Array[Boolean](batchRows)
    val vectors = spec.queries.iterator.map(_.vectors.size.toLong).sum
    Using.resource(new SplitReader(store, split, batchRows)) { reader =>
      val opened = test.map(_(reader))
      var rows = 0L
      while (reader.next()) {
        proceed()
        val count = reader.rowCount
        opened.foreach { test =>
          java.util.Arrays.fill(dropped, 0, count, false)
          test.drop(reader.columns.drop(2), count, dropped)
        }
        nearest.add(reader.columns.head, addresses(reader.columns(1)), count, dropped)
        rows += count
      }
      SplitAnswers(nearest.answers, rows * vectors, reader.stats, nearest.isRanked)
    }
  }

  private def addresses(column: Column): Array[Long] = column.values match {
    case block: Fixed64Block => block.values
    case other => throw new IllegalStateException(s"row addresses in a ${other.getClass}")
  }
}
