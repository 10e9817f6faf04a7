package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.spark.index.IndexSummaries

private[sparklance] object IndexPartitions
    extends LanceProcedure(
      "index_partitions",
      "Lists the segments of a vector or full-text index with the sizes of their partitions."
    ) {
  private val index = Parameter.text("name")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, index, Parameter.version)

  val result: StructType = StructType.fromDDL(
    "uuid STRING NOT NULL, type STRING NOT NULL, metric STRING, loss DOUBLE, partitions ARRAY<BIGINT> NOT NULL, " +
      "tokens ARRAY<BIGINT>"
  )

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val dataset = arguments.dataset
    val summary = IndexSummaries.named(arguments.location, dataset, arguments(index))
    val ofVectors = IndexSummaries.partitions(dataset, summary.name).map { segment =>
      Seq[Any](segment.uuid, segment.kind, segment.metric, segment.loss, segment.sizes.map(_.toLong), None)
    }
    val ofTexts = IndexSummaries.texts(dataset, summary.name).map { segment =>
      Seq[Any](segment.uuid, summary.kind, None, None, segment.documents, segment.tokens)
    }
    (ofVectors ++ ofTexts).iterator
  }
}
