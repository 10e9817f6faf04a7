package io.sparklance.dataset

import io.sparklance.data.{DataBlock, RowRange, RowRanges}
import io.sparklance.dataset.predicate.LeafValues
import io.sparklance.dataset.statistics.{ColumnStatistics, End, Extreme, ValidRows}
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.schema.Leaf
import io.sparklance.table.deletion.DeletionVector

/** What is asked of one leaf, and what is known of that so far.
  *
  * @param isCounted whether somebody asks for the number of values
  * @param batchRows of which it is shown at a time, at most
  */
final private class LeafAnswers(val leaf: Leaf, ends: Set[End], isCounted: Boolean, batchRows: Int) {
  private val extremes: Map[End, Extreme] =
    ends.flatMap(end => LeafAnswers.extreme(leaf, end).map(end -> _)).toMap
  private val positions = new Array[Int](batchRows)
  private var counted = 0L

  /** Values that were counted: all, if somebody asks for it. */
  def count: Long = counted

  /** The value at one end, if there is any. */
  def found(end: End): Option[DataBlock] = extremes.get(end).map(_.found).filter(_.length > 0)

  /** Looks at the first `rows` of a batch. */
  def add(values: LeafValues, rows: Int): Unit = {
    val valid = ValidRows.list(values.nulls, 0, rows, positions)
    counted += valid
    extremes.values.foreach(_.add(values.values, positions, valid))
  }

  /** Takes what statistics tell, and answers the rows that have to be looked at all the same.
    *
    * @param wanted rows of a fragment
    * @param stretches the statistics of all its rows, one stretch after the other; none if there are none
    */
  def learn(
      wanted: RowRanges,
      deleted: Option[DeletionVector],
      stretches: Vector[ColumnStatistics]
  ): RowRanges =
    if (stretches.isEmpty) wanted
    else {
      val zones = LeafAnswers.zones(stretches, wanted, deleted)
      val (told, others) = zones.partition(isTold)
      told.foreach(take)
      // Bounds of deleted values are bounds still, of which more are of no use the more is known.
      val (open, settled) = others.partition(mustRead)
      if (isCounted) settled.foreach(count)
      RowRanges.of(open.map(_.rows)).intersect(wanted)
    }

  private def isTold(zone: KnownZone): Boolean =
    zone.isWhole && (!zone.hasValues || extremes.values.forall(_.isTold(zone.column.bounds, zone.index)))

  private def take(zone: KnownZone): Unit = {
    count(zone)
    if (zone.hasValues) extremes.values.foreach(_.addBound(zone.column.bounds, zone.index))
  }

  private def mustRead(zone: KnownZone): Boolean =
    isCounted && !zone.isWhole ||
      zone.hasValues && extremes.values.exists(_.mayChange(zone.column.bounds, zone.index))

  private def count(zone: KnownZone): Unit = counted += zone.rows.length - zone.column.nulls(zone.index)
}

/** A zone of which rows are wanted.
  *
  * @param rows of the zone, as they are counted in the fragment
  * @param isWhole whether all of them are wanted, and none is deleted
  */
final private case class KnownZone(column: ColumnStatistics, index: Int, rows: RowRange, isWhole: Boolean) {
  def hasValues: Boolean = column.hasValues(index)
}

private object LeafAnswers {

  /** None if the values have no order. */
  def extreme(leaf: Leaf, end: End): Option[Extreme] =
    Extreme.of(leaf.field.logicalType, end, LeafColumn.ofNulls(leaf.field).values)

  private def zones(
      stretches: Vector[ColumnStatistics],
      wanted: RowRanges,
      deleted: Option[DeletionVector]
  ): Vector[KnownZone] =
    for {
      (column, origin) <- stretches.zip(stretches.scanLeft(0L)(_ + _.rows))
      index <- (0 until column.zones).toVector
      rows = column.zone(index).relativeTo(-origin)
      some = wanted.intersect(rows)
      if !some.isEmpty
    } yield {
      val isWhole = some.count == rows.length && deleted.forall(_.deletedIn(rows) == 0)
      KnownZone(column, index, rows, isWhole)
    }
}
