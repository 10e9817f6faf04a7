package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.spark.index.IndexSummaries

private[sparklance] object PrewarmIndex
    extends LanceProcedure(
      "prewarm_index",
      "Reads the parts of an index that all searches need into the driver's cache."
    ) {
  private val index = Parameter.text("name")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, index)
  val result: StructType = StructType.fromDDL("segments BIGINT NOT NULL")

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val dataset = arguments.latest
    val summary = IndexSummaries.named(arguments.location, dataset, arguments(index))
    Iterator(Seq[Any](IndexSummaries.prewarm(dataset, summary.name).toLong))
  }
}
