package io.sparklance.spark.write

import scala.annotation.tailrec
import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions.col

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.spark.options.{CommitOptions, StatementContext}
import io.sparklance.spark.session.{LanceCatalogs, SqlNames}
import io.sparklance.table.commit.CommitOutcome
import io.sparklance.{Causes, RetryableCommitConflictException}

/** Merges the rows of an epoch into the table. Its tasks have written them to files, which this reads and no
  * version refers to.
  *
  * @param dataset
  *   version that the merge begins at
  * @param tables
  *   tables for a MERGE into a version, whose commit has these options
  */
final private[write] class UpsertCommit(
    dataset: Dataset,
    keys: Vector[String],
    options: CommitOptions,
    tables: (Dataset, CommitOptions, Vector[WrittenFile]) => UpsertTables
) extends WriteCommit {
  override def title: String = s"version ${dataset.version}, merge by ${keys.mkString(", ")}"

  override def isDone: Boolean = WriteCommit.isDone(dataset, options)

  /** Returns the outcome of a repeated batch, for which the files are removed: the rows are in those of the
    * MERGE.
    */
  override def publish(files: Vector[WrittenFile]): Option[CommitOutcome] =
    if (files.isEmpty) new AppendCommit(dataset, options).publish(files)
    else {
      merge(dataset, files, UpsertCommit.Attempts)
      val merged = options.batch.flatMap(latest(dataset).versionOf)
      Some(
        CommitOutcome.Repeated(merged.getOrElse(throw new IllegalStateException("the MERGE has no epoch")))
      )
    }

  /** Merges again if another commit, such as a compaction, has moved the rows meanwhile. */
  @tailrec
  private def merge(now: Dataset, files: Vector[WrittenFile], attempts: Int): Unit =
    Try(merge(tables(now, options, files), files)) match {
      case Success(_) => ()
      case Failure(lost) if attempts > 1 && UpsertCommit.isRetryable(lost) =>
        val next = latest(now)
        if (next.version == now.version || next.schema != dataset.schema) throw lost
        merge(next, files, attempts - 1)
      case Failure(other) => throw other
    }

  private def merge(both: UpsertTables, files: Vector[WrittenFile]): Unit =
    StatementContext.withTable(both.rows) { rows =>
      StatementContext.withTable(both.target) { target =>
        val session = SparkSession.active
        val catalog = LanceCatalogs.ofPaths(session)
        val source = session.table(s"$catalog.$rows").as("s")
        val epoch = options.batch.fold("")(_.number.toString)
        val found = new UpsertKeys(keys, epoch).in(source, files.map(_.rows).sum)
        def ofTarget(key: String) = col(s"$catalog.$target.${SqlNames.quoted(key)}")
        val same = keys.map(key => ofTarget(key) === col(s"s.${SqlNames.quoted(key)}"))
        // Lets the scan of the target skip rows by statistics and indices.
        val near = found.map(values => ofTarget(keys.head).isin(values: _*))
        source.mergeInto(s"$catalog.$target", (same ++ near).reduce(_ && _))
          .whenMatched().updateAll().whenNotMatched().insertAll().merge()
      }
    }

  private def latest(known: Dataset): Dataset =
    known.refreshed("streaming write").getOrElse(Dataset.open(known.store, known.root))
}

private object UpsertCommit {
  final private val Attempts = 11

  private def isRetryable(failure: Throwable): Boolean =
    Causes.of(failure).exists(_.isInstanceOf[RetryableCommitConflictException])
}
