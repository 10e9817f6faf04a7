package io.sparklance.spark.backfill

import java.util.{Set => JSet}

import scala.util.control.NonFatal
import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.connector.catalog.{SupportsWrite, Table, TableCapability}
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write.{BatchWrite, LogicalWriteInfo, Write, WriteBuilder}
import org.apache.spark.sql.types.{LongType, StructType}
import org.slf4j.LoggerFactory

import io.sparklance.dataset.backfill.{ColumnValues, ColumnsFormat, FilledFragment, JobFolder}
import io.sparklance.dataset.write.FragmentWriter
import io.sparklance.io.StorePath
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.history.Statement
import io.sparklance.spark.options.{StatementContext, WriteOptions}
import io.sparklance.spark.session.{InterruptedJobs, LanceCatalogs, PlainNames, Session, TableLocation}
import io.sparklance.spark.types.{ReadTypeOptions, SchemaConverter}
import io.sparklance.spark.write.{DataFiles, RowToBlocks, UncommittedFiles, WriteMetrics, WriteSpec}
import io.sparklance.table.WriteId
import io.sparklance.table.commit.CommitOutcome
import io.sparklance.table.transaction.Operation
import io.sparklance.{
  Causes,
  IncompatibleCommitConflictException,
  LanceTableNotFoundException,
  LanceUsageException
}

/** Writes columns of existing rows: reuses fragments that earlier attempts of the job finished, writes the
  * rest with Spark, and commits all at once. If it fails, finished fragments stay for the next attempt,
  * unless the rows themselves are invalid.
  */
final private[spark] class BackfillJob(
    location: TableLocation,
    values: ColumnValues,
    folder: JobFolder,
    options: WriteOptions,
    statement: Statement
) {
  private val write = WriteId.random()
  private val uncommitted = new UncommittedFiles(location, write)
  private def job = folder.job
  private lazy val taken = folder.finished(location.store, values)
  private lazy val left = {
    val done = taken.map(_.id).toSet
    values.tasks.filterNot(task => done(task.id))
  }
  private var committed = Option.empty[CommitOutcome]

  /** Names the write in Spark's UI. */
  def title: String = s"lance $location version ${values.dataset.version}, ${statement.command}"

  /** Outcome of the commit; None before it, and if there was nothing to commit. */
  def outcome: Option[CommitOutcome] = committed

  def run(source: AddressedRows): Unit = {
    RowToBlocks.refuseUnwritable(values.columns, values.dataset.fileVersion)
    if (taken.nonEmpty)
      BackfillJob.log.info(s"job $job reuses ${taken.size} finished fragments of $location")
    if (taken.nonEmpty && left.isEmpty) commit(Vector.empty, isRepeated = false)
    else
      try InterruptedJobs.ending(append(if (taken.isEmpty) source else source.of(left.map(_.id).toSet)))
      catch {
        case e: Throwable =>
          if (BackfillJob.isUsersFault(e) || isReplaced) forget()
          else BackfillJob.log.warn(
            s"job $job to write columns of $location failed; run it again to continue with its finished " +
              "fragments"
          )
          throw e
      }
  }

  private def append(source: AddressedRows): Unit = {
    // With fewer fragments than tasks, user-defined functions run in all tasks.
    val stay = source.comeByFragment && !(source.areCostly && left.size < Session.minSplits)
    val rows = if (stay) source.rows else source.gathered
    val catalog = LanceCatalogs.ofPaths(rows.sparkSession)
    val table = new BackfillTable(s"columns of $location", schema, batch)
    StatementContext.withTable(table) { name =>
      def append(): Unit = PlainNames.keeping(rows.writeTo(s"$catalog.$name")).append()
      if (stay) StatementContext.withWholeFragments(values.dataset)(append()) else append()
    }
  }

  private def schema: StructType = new StructType(
    new StructType().add(AddressedRows.Address, LongType).fields ++
      SchemaConverter.toSpark(values.columns, ReadTypeOptions.written).fields
  )

  private[backfill] def batch(info: LogicalWriteInfo): BackfillBatchWrite = {
    val limits = options.limits
    val format = ColumnsFormat(
      values.columns,
      values.dataset.fileVersion,
      FragmentWriter.pageSizes(values.columns, limits.bufferBytes, limits.pageBytes),
      write,
      limits.compression,
      limits.statistics
    )
    val spec = BackfillSpec(
      location.forTasks(values.dataset),
      format,
      info.schema.fieldIndex(AddressedRows.Address),
      WriteSpec.ordinals(values.columns, info.schema),
      folder,
      left.map(task => task.id -> task).toMap
    )
    new BackfillBatchWrite(spec, this)
  }

  /** @param isRepeated whether other task attempts may have left files */
  def commit(filled: Vector[FilledFragment], isRepeated: Boolean): Unit = {
    val all = taken ++ filled
    val done = all.map(_.id).toSet
    values.required.find(task => !done(task.id)).foreach(task => throw BackfillJob.missing(task.id))
    refuseLost()
    if (all.nonEmpty || values.addsColumns)
      committed = Some(uncommitted.commit(values.commit(all, properties(_, all)).commit))
    if (isRepeated || Session.speculates) DataFiles.removeOthers(location, write, filled.map(_.file))
    removeNotes()
  }

  private def properties(operation: Operation, filled: Vector[FilledFragment]): Map[String, String] = {
    val counted =
      if (values.addsColumns) statement
      else statement.withRows(inserted = 0, updated = filled.map(_.changedRows).sum, deleted = 0)
    counted.properties(operation, Some(values.dataset)) ++ options.commit.properties
  }

  /** Refuses to commit if reused files are gone: clean-up, or a concurrent attempt, may have removed them. */
  private def refuseLost(): Unit = if (taken.nonEmpty) {
    val there = location.store.list(StorePath.join(location.root, "data")).map(_.name).toSet
    taken.map(_.file.fileName).find(!there(_)).foreach { name =>
      throw new LanceUsageException(
        s"The file $name, finished by an earlier attempt of job $job, was removed during this one. " +
          "Nothing was committed; run it again."
      )
    }
  }

  /** Removes files that no attempt can reuse. */
  def abandon(): Unit = {
    val _ = uncommitted.abandon(kept = folder.files(location.store))
  }

  private def forget(): Unit = if (uncommitted.abandon() && (taken.isEmpty || isReplaced)) removeNotes()

  /** Whether the table was dropped, also if another one was created at its place. */
  private def isReplaced: Boolean = Try(values.dataset.refreshed("change of columns")) match {
    case Failure(_: IncompatibleCommitConflictException | _: LanceTableNotFoundException) => true
    case Failure(_) | Success(_) => false
  }

  private def removeNotes(): Unit =
    try folder.remove(location.store)
    catch {
      case NonFatal(e) => BackfillJob.log.warn(s"cannot remove the records of job $job of $location", e)
    }
}

private object BackfillJob {
  private val log = LoggerFactory.getLogger(getClass)

  private def isUsersFault(failure: Throwable): Boolean =
    Causes.of(failure).exists(_.isInstanceOf[LanceUsageException])

  private def missing(fragment: Long) = new LanceUsageException(
    s"New columns need a value for each row of the table, but no row of fragment $fragment has one. Take " +
      "the rows from the version that you write to, without a filter. Nothing was committed."
  )
}

/** Table that a backfill writes to: the addresses of existing rows, and their values for some columns. It
  * lasts for one write, and Spark finds it by a name in [[io.sparklance.spark.options.StatementContext]].
  */
final private[backfill] class BackfillTable(
    override val name: String,
    override val schema: StructType,
    write: LogicalWriteInfo => BackfillBatchWrite
) extends Table
    with SupportsWrite {
  override def capabilities(): JSet[TableCapability] = JSet.of(TableCapability.BATCH_WRITE)
  override def toString: String = name

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new WriteBuilder {
    override def build(): Write = translating {
      new BackfillWrite(name, write(info))
    }
  }
}

final private class BackfillWrite(name: String, batch: BackfillBatchWrite) extends Write {
  override def description(): String = name
  override def toString: String = name
  override def toBatch: BatchWrite = batch
  override def supportedCustomMetrics(): Array[CustomMetric] = WriteMetrics.all
  override def reportDriverMetrics(): Array[CustomTaskMetric] = batch.metrics
}
