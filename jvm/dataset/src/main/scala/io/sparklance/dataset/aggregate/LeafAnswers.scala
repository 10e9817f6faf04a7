package io.sparklance.dataset.aggregate

import io.sparklance.data.{DataBlock, RowRange, RowRanges}
import io.sparklance.dataset.predicate.LeafValues
import io.sparklance.dataset.statistics.{ColumnStatistics, End, Extreme, ValidRows}
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.schema.Leaf
import io.sparklance.table.deletion.DeletionVector

/** Aggregates of one leaf, with their answers so far.
  *
  * @param isCounted
  *   whether the number of values is wanted
  * @param batchRows
  *   largest number of rows of a batch
  */
final private class LeafAnswers(val leaf: Leaf, ends: Set[End], isCounted: Boolean, batchRows: Int) {
  private val extremes: Map[End, Extreme] =
    ends.flatMap(end => LeafAnswers.extreme(leaf, end).map(end -> _)).toMap
  private val positions = new Array[Int](batchRows)
  private var counted = 0L

  // In the fragment: rows without statistics, zones that are not settled, and the number of these to read
  // next.
  private var unseen = RowRanges.empty
  private var open = Vector.empty[KnownZone]
  private var share = 1

  /** Number of values, if it is wanted. */
  def count: Long = counted

  /** The minimum or maximum, if there is one. */
  def found(end: End): Option[DataBlock] = extremes.get(end).map(_.found).filter(_.length > 0)

  /** Adds the first `rows` of a batch. */
  def add(values: LeafValues, rows: Int): Unit = {
    val valid = ValidRows.list(values.nulls, 0, rows, positions)
    counted += valid
    extremes.values.foreach(_.add(values.values, positions, valid))
  }

  /** Begins the next fragment with its statistics. [[next]] returns the rows that they leave open.
    *
    * @param wanted
    *   wanted rows of the fragment
    * @param stretches
    *   statistics of all its rows, file by file; empty if there are none
    */
  def learn(
      wanted: RowRanges,
      deleted: Option[DeletionVector],
      stretches: Vector[ColumnStatistics]
  ): Unit = {
    unseen = if (stretches.isEmpty) wanted else RowRanges.empty
    val (told, others) = LeafAnswers.zones(stretches, wanted, deleted).partition(isTold)
    told.foreach(take)
    open = others
    share = 1
  }

  /** Returns the rows of the fragment to [[add]] next; empty at the end. */
  def next(): RowRanges =
    if (!unseen.isEmpty) {
      val rows = unseen
      unseen = RowRanges.empty
      rows
    } else {
      // Bounds that include deleted values are still bounds. The more is known, the more zones are settled.
      val (needed, settled) = open.partition(mustRead)
      if (isCounted) settled.foreach(count)
      val first = nearest(needed)
      open = needed.filterNot(first.contains)
      share *= 2
      RowRanges.of(first.toVector.flatMap(_.wanted.ranges))
    }

  /** Returns the most promising of the zones that may change an answer: a few at first, then more and more.
    * The others have to be read in any case.
    */
  private def nearest(zones: Vector[KnownZone]): Set[KnownZone] = {
    val (hoped, needed) = zones.partition(zone => zone.isWhole || !isCounted)
    val some = extremes.values.flatMap { extreme =>
      val order: Ordering[KnownZone] =
        (a, b) => extreme.compare(a.column.bounds, a.index, b.column.bounds, b.index)
      hoped.filter(mayChange(_, extreme)).sorted(order).take(share)
    }
    (needed ++ some).toSet
  }

  private def isTold(zone: KnownZone): Boolean =
    zone.isWhole && (!zone.hasValues || extremes.values.forall(_.isTold(zone.column.bounds, zone.index)))

  private def take(zone: KnownZone): Unit = {
    count(zone)
    if (zone.hasValues) extremes.values.foreach(_.addBound(zone.column.bounds, zone.index))
  }

  private def mustRead(zone: KnownZone): Boolean =
    isCounted && !zone.isWhole || extremes.values.exists(mayChange(zone, _))

  private def mayChange(zone: KnownZone, extreme: Extreme): Boolean =
    zone.hasValues && extreme.mayChange(zone.column.bounds, zone.index)

  private def count(zone: KnownZone): Unit = counted += zone.rows.length - zone.column.nulls(zone.index)
}

/** A zone with wanted rows.
  *
  * @param rows
  *   rows of the zone, counted in the fragment
  * @param wanted
  *   wanted rows among these
  * @param isWhole
  *   whether all rows are wanted and none is deleted
  */
final private class KnownZone(
    val column: ColumnStatistics,
    val index: Int,
    val rows: RowRange,
    val wanted: RowRanges,
    val isWhole: Boolean
) {
  def hasValues: Boolean = column.hasValues(index)
}

private object LeafAnswers {

  /** Returns None if the values are not ordered. */
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
      new KnownZone(column, index, rows, some, isWhole)
    }
}
