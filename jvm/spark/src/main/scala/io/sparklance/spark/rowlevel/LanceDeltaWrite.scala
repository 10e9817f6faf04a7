package io.sparklance.spark.rowlevel

import org.apache.spark.sql.connector.distributions.Distribution
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write.{DeltaBatchWrite, DeltaWrite, RequiresDistributionAndOrdering}

import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.spark.options.{ColumnPath, RowLayout, SortKey, UpdateMode}
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
  override def toString: String = spec.columns.fold(s"LanceDeltaWrite($location)") { inPlace =>
    val names = inPlace.format.columns.fields.map(_.name)
    val mode = if (inPlace.moves.isDefined) UpdateMode.Auto else UpdateMode.Columns
    s"LanceColumnUpdate($location, columns [${names.mkString(", ")}], mode ${mode.name})"
  }
  override def toBatch: DeltaBatchWrite = batch

  override def requiredDistribution(): Distribution = written.distribution
  override def requiredOrdering(): Array[SortOrder] = written.ordering
  override def advisoryPartitionSizeInBytes(): Long = written.taskBytes.getOrElse(0)
  override def distributionStrictlyRequired(): Boolean = spec.columns.isDefined

  private def written: RowLayout =
    if (spec.columns.isDefined) LanceDeltaWrite.byFragment
    else if (spec.rows.isEmpty) RowLayout()
    else layout

  override def supportedCustomMetrics(): Array[CustomMetric] = WriteMetrics.ofChanges
  override def reportDriverMetrics(): Array[CustomTaskMetric] = batch.metrics
}

private object LanceDeltaWrite {

  /** All rows of a fragment in one task, in ascending order of addresses. */
  val byFragment: RowLayout = RowLayout(
    Vector(ColumnPath(Vector(MetadataColumn.FragId.name))),
    Vector(SortKey(ColumnPath(Vector(MetadataColumn.RowAddr.name)), descending = false))
  )
}
