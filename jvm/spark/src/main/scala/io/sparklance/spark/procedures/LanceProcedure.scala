package io.sparklance.spark.procedures

import scala.annotation.unused

import org.apache.spark.sql.types.StructType

/** A procedure, `CALL <catalog>.system.<name>(…)`. It runs once, on the driver, when the statement is
  * analyzed.
  *
  * To add one, write an object of this class in its own file, a line in [[Procedures.all]] and a row in
  * docs/procedures.md. A procedure that lists rows is a metadata table and a line in
  * [[MetadataProcedure.all]].
  */
abstract private[sparklance] class LanceProcedure(val name: String, val description: String) {
  def parameters: Vector[Parameter[_]]

  /** Schema of the result. */
  def result: StructType

  /** Returns the schema of the result of a call, where arguments add columns. */
  def resultOf(@unused arguments: Arguments): StructType = result

  /** Runs the procedure. Returns rows with the values that [[ResultRow]] accepts. */
  def call(arguments: Arguments): Iterator[Seq[Any]]
}
