package io.sparklance.dataset.statistics

import scala.collection.mutable

import io.sparklance.data.{DataBlock, NullMask}
import io.sparklance.schema.LogicalType

/** Collects the statistics of a column while it is written. It and its `positions` belong to one thread.
  *
  * @param positions
  *   scratch space for the rows of a zone
  */
final private[dataset] class ZoneCollector(logicalType: LogicalType, positions: Array[Int]) {
  private val rowsPerZone = positions.length
  private val bounds = BoundsCollector.of(logicalType)
  private val nulls = new mutable.ArrayBuilder.ofInt
  private var rows = 0L
  private var zoneRows = 0
  private var zoneValues = 0

  /** @param masks nulls of the values and of the structs around them: a row is null if one of them says so */
  def append(values: DataBlock, masks: Vector[NullMask]): Unit = {
    var at = 0
    while (at < values.length) {
      val count = math.min(values.length - at, rowsPerZone - zoneRows)
      val valid = ValidRows.list(masks, at, count, positions)
      bounds.add(values, positions, valid)
      zoneRows += count
      zoneValues += valid
      at += count
      if (zoneRows == rowsPerZone) endZone()
    }
    rows += values.length
  }

  /** Returns the statistics. Call once, after the last row. */
  def finish(): ColumnStatistics = {
    if (zoneRows > 0) endZone()
    new ColumnStatistics(rowsPerZone, rows, nulls.result(), bounds.result())
  }

  private def endZone(): Unit = {
    nulls += zoneRows - zoneValues
    bounds.endZone()
    zoneRows = 0
    zoneValues = 0
  }
}
