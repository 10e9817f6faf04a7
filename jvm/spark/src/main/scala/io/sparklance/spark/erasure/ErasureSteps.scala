package io.sparklance.spark.erasure

import scala.annotation.tailrec
import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{DataFrame, Row}

import io.sparklance.data.{FileVersion, RowRanges}
import io.sparklance.dataset.cleanup.{Cleanup, CleanupPolicy}
import io.sparklance.dataset.compaction.{Compaction, CompactionOptions}
import io.sparklance.dataset.erasure.FragmentState
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.dataset.write.RewriteSettings
import io.sparklance.dataset.{Dataset, RowOperations}
import io.sparklance.spark.history.Statement
import io.sparklance.spark.index.{IndexOptimize, Merging}
import io.sparklance.spark.maintenance.CompactionJob
import io.sparklance.spark.options.{LanceOptions, OwnReads}
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.table.LanceTable
import io.sparklance.table.transaction.{KeyChanges, Operation}
import io.sparklance.{LanceUsageException, RetryableCommitConflictException}

/** The steps that change a table. The history does not record the condition. */
final private[erasure] class ErasureSteps(location: TableLocation, condition: ErasureCondition) {
  import ErasureSteps._

  private val options = LanceOptions.sessionWrite

  def latest: Dataset = Dataset.open(location.store, location.root)

  /** Refuses what cannot be erased, before anything changes. */
  def check(): Unit = {
    val dataset = latest
    dataset.fileVersion match {
      case FileVersion.V0_1 => throw new LanceUsageException(
          s"The files of the table at $location have version ${FileVersion.V0_1}, which is read but not written. Raise it " +
            "first: CALL lance.system.raise_file_version."
        )
      case FileVersion.V2_0 | FileVersion.V2_1 | FileVersion.V2_2 => ()
    }
    val found = matching(dataset).queryExecution.analyzed.collectFirst { case filter: Filter =>
      filter.condition
    }
    found.filterNot(_.deterministic).foreach(_ => throw refused("is not the same each time"))
    val readsItself = found.exists(_.exists {
      case inner: SubqueryExpression =>
        inner.plan.collectWithSubqueries { case relation: DataSourceV2Relation => relation }.exists(isOwn)
      case _ => false
    })
    if (readsItself) throw refused("reads the table itself, whose rows change")
    val _ = Compaction.plan(dataset, rewriting(dataset, dataset.fragments.map(_.id).toSet))
  }

  private def isOwn(relation: DataSourceV2Relation): Boolean = relation.table match {
    case table: LanceTable => table.location.root == location.root
    case _ => false
  }

  /** Counts the rows of the latest version that satisfy the condition. */
  def count(): Long = matching(latest).count()

  /** Deletes these rows. */
  def delete(): Unit = retrying(MostAttempts) {
    val dataset = latest
    val address = col(MetadataColumn.RowAddr.name)
    val addresses = matching(dataset).select(address).collect().map((row: Row) => row.getLong(0))
    if (addresses.nonEmpty) {
      val operation = RowOperations.delete(dataset, RowRanges.ofRows(addresses), predicate = "")
      commit(dataset, operation, Erase.withRows(0, 0, addresses.length.toLong))
    }
  }

  /** Writes the fragments again that have one of some files. */
  @tailrec
  def rewrite(files: Set[String], attempts: Int = MostAttempts): Unit = {
    val dataset = latest
    val held =
      dataset.fragments.filter(_.files.exists(file => files(FragmentState.name(file.path)))).map(_.id).toSet
    if (held.nonEmpty) {
      val compaction = rewriting(dataset, held)
      val limits = options.limits
      val how = RewriteSettings(limits.bufferBytes, limits.compression, limits.statistics, compaction.groups)
      Try(new CompactionJob(location, how).run(dataset, compaction, properties)) match {
        case Failure(_: RetryableCommitConflictException) if attempts > 1 => ()
        case Failure(e) => throw e
        case Success(_) if attempts == 1 => throw busy(held)
        case Success(_) => ()
      }
      rewrite(files, attempts - 1)
    }
  }

  private def rewriting(dataset: Dataset, fragments: Set[Long]): CompactionOptions =
    CompactionOptions.of(dataset.config).copy(
      maxSourceFragments = None,
      maxSourceRows = None,
      maxSourceBytes = None,
      excludedFragments = dataset.fragments.map(_.id).toSet -- fragments,
      groups = options.limits.apart.in(dataset.schema),
      rewritesAll = true
    )

  private val indexing = new IndexOptimize(location, Merging.Balanced, retrains = true)

  /** Names of indices that cannot be built here. */
  def unbuildable: Set[String] = indexing.unbuildable

  /** Builds indices again as a whole. */
  def rebuild(names: Set[String]): Unit = if (names.nonEmpty) retrying(MostAttempts) {
    val _ = indexing.all(names)
  }

  /** Removes keys of the table's config. */
  def forget(keys: Vector[String]): Unit = if (keys.nonEmpty) configure(keys.map(_ -> None).toMap)

  /** Makes a version without a change, so that the one before can be removed. */
  def succeed(): Unit = configure(Map.empty)

  private def configure(entries: Map[String, Option[String]]): Unit = retrying(MostAttempts) {
    commit(latest, Operation.UpdateConfig.ofConfig(KeyChanges.Merging(entries)), Erase)
  }

  /** Removes versions, and the files that only these use. */
  def removeVersions(numbers: Set[Long], spared: Set[String]): Unit = if (numbers.nonEmpty) {
    val policy = CleanupPolicy(versions = Some(numbers), errorIfTagged = false)
    val _ = new Cleanup(latest, policy, spared).run()
  }

  private def matching(dataset: Dataset): DataFrame =
    condition.named(OwnReads.of(location, dataset)).where(condition.column)

  private def commit(dataset: Dataset, operation: Operation, statement: Statement): Unit = {
    val _ = dataset.commit(
      operation,
      statement.properties(operation, Some(dataset)) ++ options.commit.properties
    )
  }

  private def properties(operation: Operation, before: Dataset): Map[String, String] =
    Erase.properties(operation, Some(before)) ++ options.commit.properties

  private def refused(why: String) = new LanceUsageException(
    s"The condition of erase $why, so a repeated call would not find the same rows. Write the keys of the rows to another " +
      "table, and name these: id IN (SELECT id FROM requests)."
  )

  private def busy(fragments: Set[Long]) = new RetryableCommitConflictException(
    s"Others change the fragments ${fragments.toVector.sorted.mkString(", ")} of the table at $location again and again, so erase could not write them. " +
      "Its rows are deleted. Call erase again when fewer writers are at work."
  )
}

private object ErasureSteps {
  private val Erase = Statement("ERASE")
  final private val MostAttempts = 10

  /** Repeats `body` after conflicts with others. */
  @tailrec
  private def retrying(attempts: Int)(body: => Unit): Unit = Try(body) match {
    case Success(()) => ()
    case Failure(_: RetryableCommitConflictException) if attempts > 1 => retrying(attempts - 1)(body)
    case Failure(e) => throw e
  }
}
