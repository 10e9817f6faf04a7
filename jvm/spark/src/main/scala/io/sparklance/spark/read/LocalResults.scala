package io.sparklance.spark.read

import scala.collection.mutable

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, ReturnAnswer}
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{LeafExecNode, SQLExecution, SparkPlan, SparkStrategy}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.LanceOptions

/** Lets the driver answer queries itself that return few rows of a scan. Spark would start a job for them;
  * its own scans of local rows must have these when a query is planned, or explained.
  */
private[spark] object LocalResults extends SparkStrategy {

  /** More rows are read faster by several tasks. */
  final private val MostRows = 4096L

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case ReturnAnswer(query) => LocalSteps.of(query).flatMap(local(query, _)).toSeq
    case _ => Nil
  }

  /** Whether the driver runs a whole plan. */
  private[spark] def isLocal(plan: SparkPlan): Boolean = plan.isInstanceOf[LocalBatchScanExec]

  private def local(query: LogicalPlan, steps: LocalSteps): Option[SparkPlan] = translating {
    val options = steps.relation.productIterator.collectFirst { case of: DataSourceV2Relation => of.options }
    val bytes = LanceOptions.localResultBytes(options.getOrElse(CaseInsensitiveStringMap.empty))
    Option.when(bytes > 0 && steps.scan.expected.exists(_.within(MostRows, bytes)))(
      LocalBatchScanExec(query.output, query, bytes)
    )
  }
}

/** Reads few rows on the driver, and runs the query on them. Reads them by a job if they turn out to be too
  * many.
  *
  * @param query
  *   the whole query
  * @param most
  *   bytes of rows that the driver may hold
  */
final private[read] case class LocalBatchScanExec(
    output: Seq[Attribute],
    @transient query: LogicalPlan,
    most: Long
) extends LeafExecNode {
  @transient private lazy val local = LocalSteps.of(query).getOrElse(
    throw new IllegalStateException(s"the driver does not run $query")
  )

  override lazy val metrics: Map[String, SQLMetric] = {
    val own = local.scan.supportedCustomMetrics().map(metric =>
      metric.name -> SQLMetrics.createV2CustomMetric(sparkContext, metric)
    )
    own.toMap + ("numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"))
  }

  override def nodeName: String = "LocalBatchScan"
  override def simpleString(maxFields: Int): String = {
    val after = local.steps.map(step => s", then ${step.simpleString(maxFields)}").mkString
    s"$nodeName${output.mkString("[", ", ", "]")} ${local.scan.description()}$after"
  }
  override def verboseStringWithOperatorId(): String =
    s"$formattedNodeName\n${simpleString(conf.maxToStringFields)}\n"
  override protected def doCanonicalize(): SparkPlan =
    CanonicalLocalScan(output.map(QueryPlan.normalizeExpressions(_, output)), local.scan, local.canonical)

  override def executeCollect(): Array[InternalRow] = found.getOrElse(byTasks.executeCollect())
  override def executeTake(n: Int): Array[InternalRow] = found.fold(byTasks.executeTake(n))(_.take(n))
  override def executeTail(n: Int): Array[InternalRow] = found.fold(byTasks.executeTail(n))(_.takeRight(n))
  override def executeToIterator(): Iterator[InternalRow] =
    found.fold(byTasks.executeToIterator())(_.iterator)
  override protected def doExecute(): RDD[InternalRow] =
    found.fold(byTasks.execute())(rows => sparkContext.parallelize(rows.toSeq, 1))

  /** Plan of the same query for tasks. */
  @transient private lazy val byTasks: SparkPlan = {
    val planned = session.sessionState.executePlan(LocalSteps.byTasks(query)).executedPlan
    if (planned.isInstanceOf[LocalBatchScanExec])
      throw new IllegalStateException(s"tasks were to run $query")
    planned
  }

  /** Runs the query. Returns None if there are too many rows. */
  private def found: Option[Array[InternalRow]] = translating {
    val counts = mutable.Map.empty[String, Long]
    try {
      val result = local.run(read(counts))
      local.scan.reportDriverMetrics().foreach(metric => counts(metric.name) = metric.value)
      counts("numOutputRows") = result.length.toLong
      counts.foreach { case (name, count) => metrics.get(name).foreach(_.set(count)) }
      val execution = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
      SQLMetrics.postDriverMetricUpdates(sparkContext, execution, metrics.values.toSeq)
      Some(result)
    } catch { case BeyondDriver => None }
  }

  private def read(counts: mutable.Map[String, Long]): Array[InternalRow] = {
    val rows = mutable.ArrayBuffer.empty[InternalRow]
    val copy = UnsafeProjection.create(local.relation.output, local.relation.output)
    var bytes = 0L
    local.scan.driverReaders(most).foreach { reader =>
      try
        while (reader.next()) {
          val row = copy(reader.get()).copy()
          bytes += row.getSizeInBytes
          if (bytes > most) throw BeyondDriver
          rows += row
        }
      finally
        reader.close()
      count(reader, counts)
    }
    rows.toArray
  }

  private def count(reader: PartitionReader[InternalRow], counts: mutable.Map[String, Long]): Unit =
    reader.currentMetricsValues().foreach(metric =>
      counts(metric.name) = counts.getOrElse(metric.name, 0L) + metric.value
    )
}

/** Key by which equal queries on the driver are found. */
final private[read] case class CanonicalLocalScan(
    output: Seq[Attribute],
    @transient scan: DriverReadable,
    steps: Vector[(String, Seq[Expression])]
) extends LeafExecNode {
  override protected def doExecute(): RDD[InternalRow] =
    throw new IllegalStateException("a canonical plan does not run")
}
