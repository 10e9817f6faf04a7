package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.spark.metadata.DriverTable

/** A procedure, `CALL <catalog>.system.<name>(…)`. It runs once, on the driver, when the statement is
  * analyzed.
  *
  * To add one, write a row in the file of its topic and a row in docs/procedures.md.
  *
  * @param more
  *   parameters after the first, which is the table
  * @param result
  *   schema of the result, to which arguments may add columns
  * @param call
  *   runs the procedure, and returns rows with the values that [[io.sparklance.spark.session.ResultRow]]
  *   accepts
  */
final private[sparklance] class LanceProcedure(
    val name: String,
    val description: String,
    more: Vector[Parameter[_]],
    val result: Arguments => StructType
)(val call: Arguments => Iterator[Seq[Any]]) {
  val parameters: Vector[Parameter[_]] = Parameter.table +: more
}

private[procedures] object LanceProcedure {

  /** Returns a procedure whose result has the same columns in each call.
    *
    * @param result
    *   columns as DDL
    */
  def apply(name: String, description: String, more: Vector[Parameter[_]], result: String)(
      call: Arguments => Iterator[Seq[Any]]
  ): LanceProcedure = withSchema(name, description, more, StructType.fromDDL(result))(call)

  /** Returns a procedure whose result has a schema that others have, too. */
  def withSchema(name: String, description: String, more: Vector[Parameter[_]], schema: StructType)(
      call: Arguments => Iterator[Seq[Any]]
  ): LanceProcedure = new LanceProcedure(name, description, more, _ => schema)(call)

  /** Returns a procedure that lists the rows of a metadata table: `CALL lance.system.versions('t')` is
    * `SELECT * FROM t.versions`.
    */
  def listing(name: String, description: String, table: DriverTable[_], more: Parameter[_]*): LanceProcedure =
    withSchema(name, description, more.toVector, table.schema) { arguments =>
      val dataset = if (more.contains(Parameter.version)) arguments.dataset else arguments.latest
      if (more.contains(Parameter.limit)) arguments.limited(table.rows(dataset)) else table.rows(dataset)
    }
}
