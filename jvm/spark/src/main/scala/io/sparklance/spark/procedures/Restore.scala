package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.LanceUsageException
import io.sparklance.dataset.{Dataset, Reference, TableRefs}
import io.sparklance.table.transaction.Operation

object Restore
    extends LanceProcedure("restore", "Makes an older version the latest one again, as a new version.") {
  private val version = Parameter.text("version")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, version)
  val result: StructType = StructType.fromDDL("version BIGINT NOT NULL")

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val location = arguments.location
    val latest = arguments.latest
    val old = TableRefs.open(location.store, location.root, Reference.parse(arguments(version)))
    if (old.root != latest.root) throw otherBranch(old)
    Iterator(Seq(latest.commit(Operation.Restore(old.version)).dataset.version))
  }

  private def otherBranch(old: Dataset) = new LanceUsageException(
    s"Version ${old.version} is one of another branch, at ${old.root}; only versions of the branch itself can be restored."
  )
}
