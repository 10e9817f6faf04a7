package io.sparklance.spark.rowlevel

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write.{DeltaBatchWrite, DeltaWrite}

import io.sparklance.spark.TableLocation
import io.sparklance.spark.write.WriteMetrics

/** A statement that changes rows, decided: what its tasks write, and how that becomes a version. */
final private[spark] class LanceDeltaWrite(location: TableLocation, spec: DeltaSpec, changes: ChangedRows)
    extends DeltaWrite {
  private lazy val batch = new LanceDeltaBatchWrite(location, spec, changes)

  override def description(): String = s"lance $location"
  override def toString: String = s"LanceDeltaWrite($location)"
  override def toBatch: DeltaBatchWrite = batch
  override def supportedCustomMetrics(): Array[CustomMetric] = WriteMetrics.ofChanges
  override def reportDriverMetrics(): Array[CustomTaskMetric] = batch.metrics
}
