package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.spark.statistics.AnalyzeJob

private[sparklance] object Analyze
    extends LanceProcedure("analyze", "Collects statistics of columns for Spark's optimizer.") {
  private val columns = Parameter.names("columns").optional

  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, columns)

  val result: StructType = StructType.fromDDL(
    "column STRING NOT NULL, rows BIGINT NOT NULL, nulls BIGINT NOT NULL, distinct_values BIGINT NOT NULL, " +
      "min STRING, max STRING, average_length BIGINT NOT NULL, longest_length BIGINT NOT NULL"
  )

  def call(arguments: Arguments): Iterator[Seq[Any]] =
    new AnalyzeJob(arguments.location).run(arguments(columns)).iterator.map { case (name, summary) =>
      import summary.{bounds, counts, sizes}
      Seq[Any](
        name,
        counts.rows,
        counts.nulls,
        counts.distinct,
        bounds.map(_.min),
        bounds.map(_.max),
        sizes.average,
        sizes.longest
      )
    }
}
