package io.sparklance.dataset.scan

import io.sparklance.data.{Column, RowRanges}
import io.sparklance.dataset.order.TopBound
import io.sparklance.file.{ColumnRequest, FileReader, FileScan, FileSelection, ScanCounts}
import io.sparklance.io.{Closing, IoScheduler, ObjectStore}
import io.sparklance.schema.Leaf
import io.sparklance.table.deletion.{DeletionFiles, DeletionVector}

/** The open files of a fragment, and the rows to read from them.
  *
  * @param rows
  *   offsets of rows that statistics do not rule out
  */
final private class OpenFragment(
    plan: FragmentPlan,
    val stages: StageReads,
    val rows: RowRanges,
    val deleted: Option[DeletionVector],
    val files: Vector[OpenFile],
    readers: FileReaders
) extends AutoCloseable {

  import readers.{counts, io}

  /** Live rows ruled out before anything was read. */
  lazy val rowsSkipped: Long =
    if (rows == plan.rows) 0
    else {
      val skipped = plan.rows.intersect(rows.complement)
      skipped.count - deleted.fold(0L)(vector => skipped.ranges.iterator.map(vector.deletedIn).sum)
    }

  /** Reads so far.
    *
    * @param dropped
    *   rows that passed, but are not among the first of an order
    */
  def stats(rowsFiltered: Long, dropped: Long): ReadStats = ReadStats(
    io.stats,
    counts.pagesRead,
    counts.pagesSkipped,
    counts.cacheHits,
    counts.cacheMisses,
    rowsSkipped,
    rowsFiltered,
    rowsBelowTop = dropped
  )

  def close(): Unit = readers.close()
}

private object OpenFragment {

  /** Reads the deletion file and statistics, and opens the data files. Closes them if any of this fails.
    *
    * @param top
    *   learns from statistics, and rules out rows by them
    */
  def of(plan: FragmentPlan, store: ObjectStore, top: Option[TopBound]): OpenFragment = {
    val task = plan.task
    val deleted = task.deletion.map { source =>
      DeletionFiles.read(store, source.path, source.kind, task.physicalRows, source.rows)
    }
    val io = IoScheduler.shared.client(store.profile)
    val counts = new ScanCounts
    val readers = new FileReaders(store, io, counts)
    Closing.ifFailed(readers) {
      val rows = new ZonePruner(task, deleted, readers).narrow(plan.rows, top)
      val stages = StageReads.of(plan, io)
      val files = plan.files.map { file =>
        OpenFile.of(file, readers.of(file.source), rows, task.physicalRows, stages)
      }
      new OpenFragment(plan, stages, rows, deleted, files, readers)
    }
  }
}

/** An open file and the columns that its leaves are decoded into, by stage. */
final private class OpenFile(
    file: PlannedFile,
    val streamed: FileScan,
    val tested: FileSelection,
    val rest: FileSelection
) {
  val streamedParts: Vector[LeafPart] = parts(file.streamed, streamed.columns)
  val testedParts: Vector[LeafPart] = parts(file.tested, tested.columns)
  val restParts: Vector[LeafPart] = parts(file.rest, rest.columns)

  private def parts(leaves: Vector[Leaf], columns: Vector[Column]): Vector[LeafPart] =
    leaves.zip(columns).map { case (leaf, column) => LeafPart(leaf, file.source, column) }
}

private object OpenFile {
  def of(
      file: PlannedFile,
      reader: FileReader,
      rows: RowRanges,
      physicalRows: Long,
      stages: StageReads
  ): OpenFile = {
    // Files of version 0.1 may number their columns otherwise than the manifest does.
    def column(planned: Int): Int = reader.column(planned, file.source.firstFieldId)
    def found(requests: Vector[ColumnRequest]): Vector[ColumnRequest] =
      requests.map(r => r.copy(columnIndex = column(r.columnIndex), lists = r.lists.map(column)))
    new OpenFile(
      file,
      reader.scan(found(file.streamedRequests), rows, physicalRows, stages.streamed),
      reader.select(found(file.testedRequests), rows, physicalRows, stages.passedFirst, stages.tested),
      reader.select(found(file.restRequests), rows, physicalRows, stages.passed, stages.rest)
    )
  }
}
