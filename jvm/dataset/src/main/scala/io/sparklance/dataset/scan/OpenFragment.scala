package io.sparklance.dataset.scan

import io.sparklance.data.{Column, RowRange, RowRanges}
import io.sparklance.dataset.order.{RowOrder, TopBound}
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.statistics.{ColumnStatistics, ZoneFilter, ZoneRanks}
import io.sparklance.file.{ChosenRows, ColumnRequest, FileReader, FileScan, FileSelection, ReadAhead}
import io.sparklance.io.{Closing, IoClient, IoTask, ObjectStore, ReadBudget}
import io.sparklance.schema.Leaf
import io.sparklance.table.deletion.{DeletionFiles, DeletionVector}

/** The open files of a fragment, and the rows to read from them.
  *
  * @param plan
  *   without tests that statistics prove
  * @param rows
  *   offsets of rows that statistics do not rule out
  */
final private class OpenFragment(
    val plan: FragmentPlan,
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

  /** Reads the deletion file and statistics, and opens the data files, side by side where one does not depend
    * on the other. Closes them if any of this fails.
    *
    * @param number
    *   the fragment's among those that the task reads
    * @param top
    *   learns from statistics, and rules out rows by them
    */
  def of(
      plan: FragmentPlan,
      store: ObjectStore,
      io: IoTask,
      number: Int,
      top: Option[TopBound]
  ): OpenFragment = {
    val task = plan.task
    val readers = new FileReaders(store, io, number)
    Closing.ifFailed(readers) {
      val deletion = task.deletion.map { source =>
        io.fork(DeletionFiles.read(store, source.path, source.kind, task.physicalRows, source.rows))
      }
      val leaves = task.predicate.leaves ++ top.map(_.order.leaf)
      val statistics = StoredStatistics.of(task, leaves, readers)
      val deleted = deletion.map(IoTask.result(_))
      val narrowed = new ZonePruner(task, deleted, statistics).narrow(plan.rows, top)
      val left = plan.testing(narrowed.test)
      val planned = left.files
      val _ = readers.each(planned.map(_.source)) { (source, reader) =>
        planned.filter(_.source == source).foreach(OpenFile.load(_, reader))
      }
      val stages = StageReads.of(left, readers.io)
      val files = planned.map { file =>
        OpenFile.of(file, readers.of(file.source), narrowed.rows, task.physicalRows, stages)
      }
      new OpenFragment(left, stages, narrowed.rows, deleted, files, readers)
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

  /** Reads the metadata of the file's columns. */
  def load(file: PlannedFile, reader: FileReader): Unit =
    reader.load(found(file.streamedRequests ++ file.testedRequests ++ file.restRequests, file, reader))

  def of(
      file: PlannedFile,
      reader: FileReader,
      rows: RowRanges,
      physicalRows: Long,
      stages: StageReads
  ): OpenFile = {
    def found(requests: Vector[ColumnRequest]): Vector[ColumnRequest] = this.found(requests, file, reader)
    new OpenFile(
      file,
      reader.scan(found(file.streamedRequests), rows, physicalRows, stages.streamed),
      reader.select(found(file.testedRequests), rows, physicalRows, stages.passedFirst, stages.tested),
      reader.select(found(file.restRequests), rows, physicalRows, stages.passed, stages.rest)
    )
  }

  /** Requests by the numbers that the file's columns have: in version 0.1 they may not be the manifest's. */
  private def found(
      requests: Vector[ColumnRequest],
      file: PlannedFile,
      reader: FileReader
  ): Vector[ColumnRequest] = {
    def column(planned: Int): Int = reader.column(planned, file.source.firstFieldId)
    requests.map(r => r.copy(columnIndex = column(r.columnIndex), lists = r.lists.map(column)))
  }
}

/** The rows that a fragment's stages pass on, and the read-ahead of each stage, for all files together.
  *
  * @param passedFirst
  *   rows that passed the first filter
  * @param passed
  *   rows that passed all filters
  */
final private class StageReads(
    val streamed: ReadAhead,
    val tested: ReadAhead,
    val rest: ReadAhead,
    val passedFirst: ChosenRows,
    val passed: ChosenRows
)

private object StageReads {

  /** Divides the budget of a task among the stages that read something, since an early stage would take all
    * of it and leave later ones none.
    */
  def of(plan: FragmentPlan, io: IoClient): StageReads = {
    val files = plan.files
    val hasTested = files.exists(_.tested.nonEmpty)
    val hasRest = files.exists(_.rest.nonEmpty)
    val shares = (hasTested, hasRest) match {
      case (false, false) => Vector(4, 0, 0)
      case (true, false) => Vector(1, 3, 0)
      case (false, true) => Vector(1, 0, 3)
      case (true, true) => Vector(1, 1, 2)
    }
    val ahead = shares.map(n => new ReadAhead(new ReadBudget(io, n)))
    val passedFirst = new ChosenRows
    val passed = if (plan.stages.hasSecond) new ChosenRows else passedFirst
    new StageReads(ahead(0), ahead(1), ahead(2), passedFirst, passed)
  }
}

/** Leaves out, before any value is read, rows that the statistics in the data files say not to be wanted, and
  * tests that all other rows pass.
  *
  * @param statistics
  *   by the ids of the predicate's and the order's leaves
  */
final private class ZonePruner(
    task: FragmentTask,
    deleted: Option[DeletionVector],
    statistics: Map[Int, Vector[ColumnStatistics]]
) {

  private val zones = new ZoneFilter(task.physicalRows, leaf => statistics(leaf.field.id))

  /** @param top receives the best ranks of the rows, if they are known */
  def narrow(wanted: RowRanges, top: Option[TopBound]): NarrowedRows = {
    val passing =
      if (task.predicate == Predicate.Always || wanted.isEmpty) wanted
      else wanted.intersect(zones.rowsOf(task.predicate))
    val test = unproven(passing)
    NarrowedRows(top.fold(passing)(among(passing, test, _)), test)
  }

  /** Returns what is left of the predicate without the operands that are true for all of `rows`. */
  private def unproven(rows: RowRanges): Predicate = {
    val operands = Predicate.conjuncts(task.predicate)
    val left = operands.filterNot(operand => rows.intersect(zones.unproven(operand)).isEmpty)
    if (rows.isEmpty || left.size == operands.size) task.predicate else Predicate.all(left: _*)
  }

  private def among(rows: RowRanges, test: Predicate, top: TopBound): RowRanges = {
    val known = if (rows.isEmpty) Vector.empty else statistics(top.order.leaf.field.id)
    if (known.isEmpty) rows
    else {
      val zones = new ZoneRanks(top.order, known)
      if (passIfNotNull(test, top.order)) zones.rankOf(top.limit, live(rows)).foreach(top.raise)
      rows.intersect(zones.rowsOf(top))
    }
  }

  /** Whether a predicate lets through all rows that are not null in the order's leaf. */
  private def passIfNotNull(test: Predicate, order: RowOrder): Boolean =
    Predicate.conjuncts(test).forall(_ == Predicate.NotNull(order.leaf))

  private def live(rows: RowRanges)(zone: RowRange): Long = {
    val within = rows.intersect(zone)
    within.count - deleted.fold(0L)(vector => within.ranges.iterator.map(vector.deletedIn).sum)
  }
}

/** Rows that may be wanted.
  *
  * @param test
  *   the predicate without operands that are true for all of them
  */
final private case class NarrowedRows(rows: RowRanges, test: Predicate)
