package io.sparklance.spark.isolation

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.write.RowLevelOperation.Command

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.spark.options.{CommitOptions, Isolation}
import io.sparklance.table.commit.CommitGuard

/** Makes the checks of a statement's commit.
  *
  * @param reads
  *   what the statement read; None if that does not matter
  * @param table
  *   shows rows of a dataset to Spark
  */
final private[spark] class StatementIsolation(val reads: Option[StatementReads], table: Dataset => Table) {

  /** Returns the check of a statement that read a version.
    *
    * @param files
    *   the statement's own files
    */
  def guard(dataset: Dataset, options: CommitOptions, files: Vector[WrittenFile]): CommitGuard =
    reads.filter(_.isSerializable(options)).fold(CommitGuard.none)(new PhantomCheck(dataset, _, files, table))

  /** Returns the isolation of a statement of which more is known. */
  def reading(other: StatementReads): StatementIsolation = new StatementIsolation(Some(other), table)
}

private[spark] object StatementIsolation {

  /** A statement that reads nothing of its table. */
  val none = new StatementIsolation(None, _ => throw new IllegalStateException("nothing to compare"))

  /** A change of rows whose condition is unknown. Every added row counts, for a MERGE by default: it may
    * insert rows that others insert, too.
    */
  def unknown(command: Command): StatementReads = StatementReads(
    command.name,
    Phantoms.Added,
    if (command == Command.MERGE) Isolation.Serializable else Isolation.Snapshot
  )
}
