package io.sparklance.dataset.backfill

import scala.annotation.tailrec
import scala.util.{Failure, Success, Try}

import io.sparklance.RetryableCommitConflictException
import io.sparklance.data.RowRanges
import io.sparklance.dataset.scan.{FragmentTask, ScanPlan, SplitTarget}
import io.sparklance.dataset.schemachange.SchemaChangeOperation
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.dataset.{Dataset, WriteOutcome}
import io.sparklance.schema.LanceSchema
import io.sparklance.table.Fragment
import io.sparklance.table.transaction.Operation

/** Values of columns for the rows of a version, in one new file for each fragment. All other files stay.
  *
  * @param columns
  *   columns of the new files
  */
sealed abstract private[sparklance] class ColumnValues(val dataset: Dataset, val columns: LanceSchema) {

  /** Whether the table changes even if it has no rows. */
  def addsColumns: Boolean

  /** Fragments that may get a file. */
  def tasks: Vector[ColumnsTask]

  /** Fragments that must get a file. */
  def required: Vector[ColumnsTask]

  /** @param latest a version with all the fragments, possibly with more deleted rows */
  protected def operation(latest: Dataset, filled: Map[Long, FilledFragment]): Operation

  /** Commits the files. Concurrent deletions of rows are kept. Other concurrent changes of fragments
    * conflict, because rows would be without values.
    *
    * @param properties
    *   of the transaction of an operation
    */
  final def commit(
      filled: Vector[FilledFragment],
      properties: Operation => Map[String, String] = _ => Map.empty
  ): WriteOutcome =
    commit(dataset, filled.map(f => f.id -> f).toMap, properties)

  @tailrec
  private def commit(
      latest: Dataset,
      filled: Map[Long, FilledFragment],
      properties: Operation => Map[String, String]
  ): WriteOutcome =
    Try(committed(latest, operation(latest, filled), properties)) match {
      case Success(outcome) => outcome
      case Failure(lost: RetryableCommitConflictException) =>
        val now = latest.refreshed("change of columns").getOrElse(throw lost)
        if (now.version == latest.version || !hasOnlyLostRows(now)) throw lost
        commit(now, filled, properties)
      case Failure(other) => throw other
    }

  private def committed(
      latest: Dataset,
      operation: Operation,
      properties: Operation => Map[String, String]
  ): WriteOutcome = latest.commit(operation, properties(operation))

  private def hasOnlyLostRows(now: Dataset): Boolean = {
    val before = dataset.fragments.map(f => f.id -> f).toMap
    now.schema == dataset.schema && now.nextFieldId == dataset.nextFieldId &&
    now.fragments.forall { fragment =>
      before.get(fragment.id).exists { old =>
        old.filesOnly == fragment.filesOnly && now.stillDeletes(fragment, dataset.deletion(old))
      }
    }
  }

  /** Describes a file with these columns. */
  final private[backfill] def written(fileName: String, size: Long, rows: Long): WrittenFile =
    WrittenFile.of(columns, dataset.fileVersion, fileName, size, rows)

  final protected def task(fragment: Fragment, old: Option[FragmentTask]): ColumnsTask =
    ColumnsTask(fragment.filesAndDeletions, dataset.physicalRows(fragment), dataset.deletion(fragment), old)
}

/** New columns.
  *
  * @param schema
  *   the table's schema afterwards; new fields are nullable and have ids
  */
final private[sparklance] class AddedColumns(dataset: Dataset, schema: LanceSchema)
    extends ColumnValues(dataset, AddedColumns.newIn(dataset, schema)) {
  override def addsColumns: Boolean = true

  override lazy val tasks: Vector[ColumnsTask] = dataset.locating(dataset.fragments.map(task(_, old = None)))

  override lazy val required: Vector[ColumnsTask] = {
    val live = dataset.locating(
      dataset.fragments.filter(f => dataset.deletedRows(f) < dataset.physicalRows(f)).map(_.id).toSet
    )
    tasks.filter(task => live(task.id))
  }

  override protected def operation(latest: Dataset, filled: Map[Long, FilledFragment]): Operation =
    SchemaChangeOperation.merge(latest, schema, filled.toVector.map { case (id, done) => id -> done.file })
}

private object AddedColumns {
  private def newIn(dataset: Dataset, schema: LanceSchema): LanceSchema = {
    val there = dataset.schema.fields.map(_.id).toSet
    schema.copy(fields = schema.fields.filterNot(field => there(field.id)))
  }
}

/** New values of existing columns, in all rows or in some. Fragments without new values keep their files. */
final private[sparklance] class ReplacedColumns(dataset: Dataset, columns: LanceSchema)
    extends ColumnValues(dataset, columns) {
  override def addsColumns: Boolean = false

  override lazy val tasks: Vector[ColumnsTask] = dataset.locating {
    val all = ScanPlan.splits(dataset, columns.fields, SplitTarget.Rows(Long.MaxValue)).flatMap(_.tasks)
    val readers = all.map(task => task.fragmentId -> task.copy(deletion = None)).toMap
    dataset.fragments.map(f => task(f, readers.get(f.id).map(_.copy(rows = RowRanges.all))))
  }

  override def required: Vector[ColumnsTask] = Vector.empty

  override protected def operation(latest: Dataset, filled: Map[Long, FilledFragment]): Operation = {
    val live = latest.schema.preOrder.map(_.id).toSet
    val updated = latest.fragments.flatMap { f =>
      filled.get(f.id).map(done => f.withFile(Dataset.dataFile(done.file)).keeping(live))
    }
    val offsets =
      if (latest.hasStableRowIds) filled.view.mapValues(_.changed).toMap else Map.empty[Long, Array[Byte]]
    Operation.Update.ofColumns(updated, columns.preOrder.map(_.id), offsets)
  }
}
