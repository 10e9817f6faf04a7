package io.sparklance.spark.search

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy, UnaryExecNode}

import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.Session

private[spark] object VectorJoinStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case VectorJoin(child, query, source, found, distance, isOuter) =>
      val isSmall = child.stats.sizeInBytes <= plan.conf.autoBroadcastJoinThreshold
      Seq(VectorJoinExec(
        planLater(child),
        query,
        source,
        found,
        distance,
        isOuter,
        isBroadcast = isSmall && source.search.index.isEmpty
      ))
    case _ => Nil
  }
}

/** Runs a [[VectorJoin]]. Each task searches for the vectors of its rows, in batches; or each has a part of
  * the table to search, and all rows of the left side.
  *
  * @param isBroadcast
  *   whether tasks have all rows of the left side, which are few
  */
final private[search] case class VectorJoinExec(
    child: SparkPlan,
    query: Attribute,
    @transient source: JoinSource,
    found: Seq[AttributeReference],
    distance: AttributeReference,
    isOuter: Boolean,
    isBroadcast: Boolean
) extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output ++ found :+ distance
  override def simpleString(maxFields: Int): String =
    s"VectorJoin ${VectorJoin.describe(source, query, isOuter)}${if (isBroadcast) ", queries broadcast"
      else ""}"
  override protected def withNewChildInternal(newChild: SparkPlan): VectorJoinExec = copy(child = newChild)

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "queries" -> SQLMetrics.createMetric(sparkContext, "vectors searched for"),
    "vectorsCompared" -> SQLMetrics.createMetric(sparkContext, "vectors compared"),
    "partitionsProbed" -> SQLMetrics.createMetric(sparkContext, "partitions of indices searched")
  )

  override protected def doExecute(): RDD[InternalRow] = translating {
    val search = JoinSearch.of(source, found.map(_.name).toVector)
    val shared = sparkContext.broadcast(search)
    val shape = JoinShape(
      child.output.map(_.dataType).toVector,
      child.output.indexWhere(_.exprId == query.exprId),
      found.map(_.dataType).toVector,
      isOuter
    )
    val counts = JoinCounts(
      longMetric("numOutputRows"),
      longMetric("queries"),
      longMetric("vectorsCompared"),
      longMetric("partitionsProbed")
    )
    if (isBroadcast) {
      val target = source.table.read.split.getOrElse(Session.splitTarget)
      val place = SearchPlace.Job(target, s"search ${source.table.location}: ${source.search.describe}")
      val pairs =
        new JoinedRows(search, shape, counts).paired(child.executeCollect().iterator, place).toVector
      sparkContext.parallelize(pairs, sparkContext.defaultParallelism)
        .mapPartitions(some => new JoinedRows(shared.value, shape, counts).completed(some))
    } else
      spread(child.execute(), shape).mapPartitions { rows =>
        val joined = new JoinedRows(shared.value, shape, counts)
        joined.completed(joined.paired(rows, SearchPlace.Here))
      }
  }

  /** Divides rows of few tasks among as many as can run at once: a search takes longer than moving its query.
    */
  private def spread(rows: RDD[InternalRow], shape: JoinShape): RDD[InternalRow] = {
    val most = sparkContext.defaultParallelism
    if (rows.getNumPartitions >= most || rows.getNumPartitions == 0) rows
    else
      rows.mapPartitions { some =>
        val copy = UnsafeProjection.create(shape.left.toArray)
        some.map(row => copy(row).copy(): InternalRow)
      }.coalesce(most, shuffle = true)
  }
}
