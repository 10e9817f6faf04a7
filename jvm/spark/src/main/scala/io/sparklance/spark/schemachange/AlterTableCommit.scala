package io.sparklance.spark.schemachange

import scala.annotation.tailrec
import scala.util.{Failure, Success, Try}

import io.sparklance.RetryableCommitConflictException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.schemachange.SchemaChangeOperation
import io.sparklance.spark.history.Statement
import io.sparklance.spark.session.TableLocation
import io.sparklance.table.transaction.Operation

/** Commits a change of schema or properties as one version. Checks for conflicts since the version that the
  * change was planned on, and plans it again if concurrent commits changed what it depends on.
  */
private[spark] object AlterTableCommit {

  /** Number of attempts. */
  private val Attempts = 10

  def columns(location: TableLocation, statement: Statement)(plan: Dataset => SchemaChange): Unit =
    attempt(Dataset.open(location.store, location.root), Attempts) { dataset =>
      val alteration = plan(dataset)
      SchemaChangeOperation.refuseUnwritable(dataset, alteration.schema, alteration.defaults.keySet)
      val job = new ColumnFilesJob(location, dataset)
      job.run(alteration.tasks(dataset, job.write)) { files =>
        SchemaChangeOperation.operation(
          dataset,
          alteration.schema,
          files
        ).foreach(statement.commit(dataset, _))
      }
    }

  def properties(location: TableLocation, statement: Statement, operation: Operation): Unit =
    attempt(Dataset.open(location.store, location.root), Attempts) { dataset =>
      val _ = statement.commit(dataset, operation)
    }

  @tailrec
  private def attempt(dataset: Dataset, left: Int)(body: Dataset => Unit): Unit =
    Try(body(dataset)) match {
      case Success(_) => ()
      case Failure(lost: RetryableCommitConflictException) if left > 1 =>
        attempt(dataset.refreshed("ALTER TABLE").getOrElse(throw lost), left - 1)(body)
      case Failure(e) => throw e
    }
}
