package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.spark.index.IndexSummaries

private[sparklance] object DescribeIndex
    extends LanceProcedure("describe_index", "Describes an index of a version in one row.") {
  private val index = Parameter.text("name")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, index, Parameter.version)

  val result: StructType = StructType(
    Indices.result.fields ++ StructType.fromDDL(
      "settings MAP<STRING, STRING> NOT NULL, used_segments BIGINT NOT NULL, counts MAP<STRING, BIGINT> NOT NULL"
    ).fields
  )

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val dataset = arguments.dataset
    val summary = IndexSummaries.named(arguments.location, dataset, arguments(index))
    Iterator(Indices.row(summary) ++ Seq[Any](
      IndexSummaries.settings(dataset, summary.name),
      IndexSummaries.usedSegments(dataset, summary.name).toLong,
      IndexSummaries.counts(dataset, summary.name)
    ))
  }
}
