package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

/** What `CALL <catalog>.system.<name>(…)` does. It runs once, on the driver, when the statement is analyzed.
  *
  * A new one is an object of this class in a file of its own, a line in [[Procedures.all]] and a row in
  * docs/procedures.md. One that lists rows is a metadata table and a line in [[MetadataProcedure.all]].
  */
abstract private[sparklance] class LanceProcedure(val name: String, val description: String) {
  def parameters: Vector[Parameter[_]]

  /** The columns of its result. */
  def result: StructType

  /** The rows, as [[ResultRow]] takes their values. */
  def call(arguments: Arguments): Iterator[Seq[Any]]
}
