package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.spark.history.Statement
import io.sparklance.table.transaction.Operation

private[sparklance] object RestoreVersion
    extends LanceProcedure("restore", "Makes an older version the latest one again, as a new version.") {
  private val asOf = Parameter.time("as_of").optional
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, Parameter.version, asOf)
  val result: StructType = StructType.fromDDL("version BIGINT NOT NULL")

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val latest = arguments.latest
    val old = arguments(asOf).fold(named(arguments))(arguments.dataset.asOf)
    if (old.root != latest.root) throw otherBranch(old)
    val statement = Statement("RESTORE", Map("version" -> old.version.toString))
    Iterator(Seq(statement.commit(latest, Operation.Restore(old.version)).dataset.version))
  }

  private def named(arguments: Arguments): Dataset = arguments(Parameter.version).fold(
    throw new LanceUsageException("Nothing to restore was named. Give a version, or a time as as_of.")
  )(_ => arguments.dataset)

  private def otherBranch(old: Dataset) = new LanceUsageException(
    s"Version ${old.version} belongs to another branch, at ${old.root}. Restore a version of the branch " +
      "itself."
  )
}
