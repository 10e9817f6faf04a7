package io.sparklance.spark.rowlevel

import org.apache.spark.sql.connector.distributions.Distribution
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write.{DeltaBatchWrite, DeltaWrite, RequiresDistributionAndOrdering}

import io.sparklance.spark.options.RowLayout
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.write.WriteMetrics

/** A planned row-level operation: what its tasks write, and how it is committed.
  *
  * @param layout
  *   distribution of rows to tasks, if these write any
  */
final private[spark] class LanceDeltaWrite(
    location: TableLocation,
    spec: DeltaSpec,
    changes: RowLevelCommit,
    layout: RowLayout
) extends DeltaWrite
    with RequiresDistributionAndOrdering {
  private lazy val batch = new LanceDeltaBatchWrite(location, spec, changes)

  override def description(): String = s"lance $location ${changes.title}"
  override def toString: String = s"LanceDeltaWrite($location)"
  override def toBatch: DeltaBatchWrite = batch

  override def requiredDistribution(): Distribution = written.distribution
  override def requiredOrdering(): Array[SortOrder] = written.ordering
  override def advisoryPartitionSizeInBytes(): Long = written.taskBytes.getOrElse(0)
  override def distributionStrictlyRequired(): Boolean = false

  private def written: RowLayout = if (spec.rows.isEmpty) RowLayout() else layout

  override def supportedCustomMetrics(): Array[CustomMetric] = WriteMetrics.ofChanges
  override def reportDriverMetrics(): Array[CustomTaskMetric] = batch.metrics
}
