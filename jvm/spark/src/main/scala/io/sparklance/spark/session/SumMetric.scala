package io.sparklance.spark.session

import org.apache.spark.sql.connector.metric.{CustomSumMetric, CustomTaskMetric}

/** A metric that Spark's UI shows as the sum over all tasks. Spark instantiates metrics by name, so each one
  * is a class without parameters.
  */
abstract private[sparklance] class SumMetric(override val name: String, override val description: String)
    extends CustomSumMetric {
  private[spark] def of(count: Long): CustomTaskMetric = TaskMetric(name, count)
}

/** Value of a metric in one task. */
final private[spark] case class TaskMetric(name: String, value: Long) extends CustomTaskMetric
