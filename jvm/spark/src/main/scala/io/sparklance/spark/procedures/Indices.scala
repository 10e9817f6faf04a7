package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.spark.index.{IndexSummaries, IndexSummary}

/** Lists indices; the metadata table `indices` lists their segments. */
private[sparklance] object Indices
    extends LanceProcedure("indices", "Lists the indices of a version, with the rows that they cover.") {
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, Parameter.version)

  val result: StructType = StructType.fromDDL(
    "name STRING NOT NULL, type STRING NOT NULL, columns ARRAY<STRING> NOT NULL, segments BIGINT NOT NULL, " +
      "indexed_fragments BIGINT NOT NULL, unindexed_fragments BIGINT NOT NULL, indexed_rows BIGINT NOT NULL, " +
      "unindexed_rows BIGINT NOT NULL, created_at TIMESTAMP, size BIGINT, advice STRING"
  )

  def call(arguments: Arguments): Iterator[Seq[Any]] = IndexSummaries.of(arguments.dataset).iterator.map(row)

  /** Returns the row of an index. */
  def row(index: IndexSummary): Seq[Any] = Seq(
    index.name,
    index.kind,
    index.columns,
    index.segments.toLong,
    index.coverage.fragments.toLong,
    index.coverage.otherFragments.toLong,
    index.coverage.rows,
    index.coverage.otherRows,
    index.createdAt,
    index.sizeBytes,
    Option.when(index.coverage.isOutdated)(Rebuild)
  )

  /** Advice for an index whose files may have addresses of rows that were moved. */
  final private val Rebuild = "rebuild"
}
