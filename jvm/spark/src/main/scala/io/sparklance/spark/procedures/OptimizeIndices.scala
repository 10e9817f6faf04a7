package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.LanceUsageException
import io.sparklance.spark.index.{IndexOptimize, Merging}

private[sparklance] object OptimizeIndices
    extends LanceProcedure("optimize_indices", "Adds the rows that indices do not cover, by Spark jobs.") {
  private val names = Parameter.names("index_names").optional
  private val merged = Parameter.number("num_indices_to_merge").optional
  private val retrain = Parameter.flag("retrain")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, names, merged, retrain)

  val result: StructType = StructType.fromDDL(
    "name STRING NOT NULL, version BIGINT NOT NULL, fragments_indexed BIGINT NOT NULL, segments_replaced BIGINT NOT NULL"
  )

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val count = arguments(merged).getOrElse(0L)
    if (count < 0)
      throw new LanceUsageException(s"Argument 'num_indices_to_merge' is $count. Give 0 or a greater number.")
    val merging = Merging.Newest(math.min(count, Int.MaxValue.toLong).toInt)
    new IndexOptimize(arguments.location, merging, arguments(retrain))
      .run(arguments(names).getOrElse(Vector.empty))
      .iterator
      .map(done => Seq[Any](done.name, done.version, done.fragments.toLong, done.replaced.toLong))
  }
}
