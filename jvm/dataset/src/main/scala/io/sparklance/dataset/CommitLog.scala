package io.sparklance.dataset

import org.slf4j.LoggerFactory

import io.sparklance.table.commit.CommitOutcome
import io.sparklance.table.transaction.Operation

/** One line for each commit. */
private[dataset] object CommitLog {
  private val log = LoggerFactory.getLogger(getClass)

  def write(root: String, operation: Operation, outcome: CommitOutcome, millis: Long): Unit =
    log.info(line(root, operation, outcome, millis))

  private[dataset] def line(
      root: String,
      operation: Operation,
      outcome: CommitOutcome,
      millis: Long
  ): String = outcome match {
    case CommitOutcome.Committed(manifest, attempts, dropped) =>
      val files = operation.added.flatMap(_.files)
      val rows = operation.added.flatMap(_.physicalRows).sum
      val bytes = files.flatMap(_.size).sum
      s"committed version ${manifest.version} of $root: ${operation.name}, ${files.size} files, $rows rows, " +
        s"$bytes bytes; attempts $attempts, $millis ms" + indices(dropped)
    case CommitOutcome.Repeated(version) =>
      s"committed nothing to $root: ${operation.name} of a batch that version $version has already; $millis ms"
  }

  private def indices(dropped: Vector[String]): String =
    if (dropped.isEmpty) "" else s"; dropped the indices ${dropped.mkString(", ")}"
}
