package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.LanceUsageException
import io.sparklance.dataset.{Dataset, TableRefs}
import io.sparklance.spark.history.Statement
import io.sparklance.table.transaction.Operation

private[sparklance] object RestoreVersion
    extends LanceProcedure("restore", "Makes an older version the latest one again, as a new version.") {
  private val asOf = Parameter.time("as_of").optional
  private val dryRun = Parameter.flag("dry_run")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, Parameter.version, asOf, dryRun)
  val result: StructType = StructType.fromDDL("version BIGINT NOT NULL")

  /** Has the tags and branches of the versions after the restored one, which keep what it takes back. */
  override def resultOf(arguments: Arguments): StructType =
    if (arguments(dryRun)) StructType.fromDDL(
      "restored_version BIGINT NOT NULL, latest_version BIGINT NOT NULL, later_tags ARRAY<STRING> NOT NULL, " +
        "later_branches ARRAY<STRING> NOT NULL"
    )
    else result

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val latest = arguments.latest
    val old = arguments(asOf).fold(named(arguments))(arguments.dataset.asOf)
    if (old.root != latest.root) throw otherBranch(old)
    if (arguments(dryRun)) Iterator(plan(old, latest))
    else {
      val statement = Statement("RESTORE", Map("version" -> old.version.toString))
      Iterator(Seq(statement.commit(latest, Operation.Restore(old.version)).dataset.version))
    }
  }

  private def plan(old: Dataset, latest: Dataset): Seq[Any] = {
    val later = new TableRefs(latest).ofVersions(_ > old.version)
    Seq(old.version, latest.version, later.tags.map(_._1), later.branches.map(_._1))
  }

  private def named(arguments: Arguments): Dataset = arguments(Parameter.version).fold(
    throw new LanceUsageException("Nothing to restore was named. Give a version, or a time as as_of.")
  )(_ => arguments.dataset)

  private def otherBranch(old: Dataset) = new LanceUsageException(
    s"Version ${old.version} belongs to another branch, at ${old.root}. Restore a version of the branch " +
      "itself."
  )
}
