package io.sparklance.spark.rowlevel

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.write.{DeltaWriter, DeltaWriterFactory, WriterCommitMessage}

import io.sparklance.dataset.RowSet
import io.sparklance.dataset.backfill.FilledFragment
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.spark.errors.SparkErrors
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.write.{InsertedKeys, LanceDataWriter, RowCounts, TaskReports, WriteMetrics}

final private[spark] case class LanceDeltaWriterFactory(spec: DeltaSpec, reports: TaskReports)
    extends DeltaWriterFactory {
  override def createWriter(partitionId: Int, taskId: Long): DeltaWriter[InternalRow] =
    new LanceDeltaWriter(spec, reports)
}

/** Executor side of a row-level operation: collects the addresses of deleted rows, and writes updated and new
  * rows to files. With stable row ids, updated and new rows go to separate files, because only the first rows
  * of a file can keep their ids. Columns of updated rows that stay in place go to files of their own.
  */
final private[rowlevel] class LanceDeltaWriter(spec: DeltaSpec, reports: TaskReports)
    extends DeltaWriter[InternalRow] {
  private val deleted = new RowSet.Builder
  private val updated = new RowSet.Builder
  private val rowIds = mutable.ArrayBuilder.make[Long]
  private val moved = spec.rows.map(new LanceDataWriter(_, reports))
  private val added = if (spec.rowId.isEmpty) None else spec.rows.map(new LanceDataWriter(_, reports))
  private val columns = spec.columns.map { inPlace =>
    val mover = for (how <- inPlace.moves; files <- moved)
      yield new RowMover(inPlace.location, how, files, add)
    new ColumnRows(inPlace, mover)
  }
  private val keys = spec.keys.map(new InsertedKeys(_))
  private var counts = RowCounts(0, 0, 0)

  override def delete(metadata: InternalRow, id: InternalRow): Unit =
    // MERGE may delete a row once for each source row that matches it.
    if (deleted.add(id.getLong(spec.address))) counts = counts.copy(deleted = counts.deleted + 1)

  override def update(metadata: InternalRow, id: InternalRow, row: InternalRow): Unit = {
    val address = id.getLong(spec.address)
    columns match {
      case Some(inPlace) => change(inPlace, address, rowId(metadata), row)
      case None =>
        add(address, rowId(metadata))
        moved.foreach(_.write(row))
    }
    counts = counts.copy(updated = counts.updated + 1)
  }

  private def change(inPlace: ColumnRows, address: Long, id: Long, row: InternalRow): Unit =
    try inPlace.append(address, id, row)
    catch SparkErrors.translation

  private def rowId(metadata: InternalRow): Long = spec.rowId.fold(0L)(metadata.getLong)

  /** Takes note of a row that moves. */
  private def add(address: Long, id: Long): Unit = {
    if (!updated.add(address)) throw SparkErrors.translated(RowLevelCommit.ambiguous)
    if (spec.rowId.isDefined) rowIds += id
  }

  override def insert(row: InternalRow): Unit = {
    keys.foreach(_.add(row))
    added.orElse(moved).foreach(_.write(row))
    counts = counts.copy(inserted = counts.inserted + 1)
  }

  override def commit(): WriterCommitMessage = translating {
    val filled = columns.fold(Vector.empty[FilledFragment])(_.files())
    val message = DeltaMessage(
      deleted.result.packed,
      updated.result.packed,
      MovedFiles(files(moved), rowIds.result()),
      files(added),
      InsertedRows(counts.inserted, keys.map(_.bitmap)),
      LanceDataWriter.isRepeated,
      filled
    )
    reports.send(message, counts.inserted + counts.updated + counts.deleted)
  }

  private def files(writer: Option[LanceDataWriter]): Vector[WrittenFile] =
    writer.fold(Vector.empty[WrittenFile])(_.files())

  override def abort(): Unit =
    try columns.foreach(_.abort())
    finally (moved ++ added).foreach(_.abort())

  override def close(): Unit = ()

  override def currentMetricsValues(): Array[CustomTaskMetric] =
    WriteMetrics.sums(
      (moved ++ added).map(_.currentMetricsValues()).toVector ++
        columns.map(inPlace => WriteMetrics.ofTask(inPlace.written))
    ) ++ WriteMetrics.ofRows(counts)
}
