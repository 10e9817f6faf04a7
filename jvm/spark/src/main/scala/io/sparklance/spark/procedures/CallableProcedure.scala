package io.sparklance.spark.procedures

import java.util.{Collections, Iterator => JIterator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.ProcedureCatalog
import org.apache.spark.sql.connector.catalog.procedures.{
  BoundProcedure,
  ProcedureParameter,
  UnboundProcedure
}
import org.apache.spark.sql.connector.read.{LocalScan, Scan}
import org.apache.spark.sql.types.StructType

import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.{InterruptedJobs, ResultRow}

/** A procedure as Spark calls it.
  *
  * @param catalog
  *   the catalog of the call
  */
final private[spark] class CallableProcedure(procedure: LanceProcedure, catalog: ProcedureCatalog)
    extends UnboundProcedure with BoundProcedure {
  override def name(): String = procedure.name
  override def description(): String = procedure.description
  override def bind(inputType: StructType): BoundProcedure = this
  override def isDeterministic(): Boolean = false
  override def parameters(): Array[ProcedureParameter] = procedure.parameters.map(_.toSpark).toArray

  override def call(input: InternalRow): JIterator[Scan] = translating {
    val arguments = new Arguments(procedure.parameters, input, catalog)
    val result = InterruptedJobs.ending(procedure.call(arguments).map(ResultRow(_)).toArray)
    Collections.singleton[Scan](new Result(result, procedure.result(arguments))).iterator()
  }

  final private class Result(result: Array[InternalRow], schema: StructType) extends LocalScan {
    override def rows(): Array[InternalRow] = result
    override def readSchema(): StructType = schema
    override def description(): String = procedure.name
  }
}
