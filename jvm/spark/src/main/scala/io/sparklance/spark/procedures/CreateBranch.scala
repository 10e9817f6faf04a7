package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.TableRefs
import io.sparklance.spark.history.Statement

private[sparklance] object CreateBranch
    extends LanceProcedure(
      "create_branch",
      "Creates a branch: a history of its own that begins with a version of the table."
    ) {
  private val branch = Parameter.text("branch")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, branch, Parameter.version)

  val result: StructType =
    StructType.fromDDL("branch STRING NOT NULL, version BIGINT NOT NULL, location STRING NOT NULL")

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val name = arguments(branch)
    val source = arguments.dataset
    val parameters = Map("branch" -> name, "sourceVersion" -> source.version.toString)
    val made = new TableRefs(source).createBranch(name, Statement("CREATE BRANCH", parameters).said)
    Iterator(Seq(name, made.version, made.root))
  }
}
