package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.TableRefs

private[sparklance] object DeleteBranch
    extends LanceProcedure(
      "delete_branch",
      "Removes a branch with its versions and files, if no other branch or tag needs them."
    ) {
  private val branch = Parameter.text("branch")
  private val force = Parameter.flag("force")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, branch, force)
  val result: StructType = StructType.fromDDL("branch STRING NOT NULL")

  /** With `force`, also removes the remains of an interrupted `create_branch`. */
  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val name = arguments(branch)
    val branches = new TableRefs(arguments.latest).branches
    if (arguments(force)) branches.clear(name) else branches.delete(name)
    Iterator(Seq(name))
  }
}
