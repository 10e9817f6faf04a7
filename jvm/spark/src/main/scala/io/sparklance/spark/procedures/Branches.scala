package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.TableRefs

object Branches extends LanceProcedure("branches", "Lists the branches of a table, but for the main one.") {
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table)

  val result: StructType = StructType.fromDDL(
    "branch STRING NOT NULL, parent_branch STRING, parent_version BIGINT NOT NULL, created_at TIMESTAMP NOT NULL, " +
      "manifest_size BIGINT NOT NULL, metadata MAP<STRING, STRING> NOT NULL, location STRING NOT NULL"
  )

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val branches = new TableRefs(arguments.latest).branches
    branches.all.iterator.map { case (name, branch) =>
      Seq(
        name,
        branch.parentBranch,
        branch.parentVersion,
        branch.createdAt,
        branch.manifestSize,
        branch.metadata,
        branches.root(Some(name))
      )
    }
  }
}
