package io.sparklance.index.build

import io.sparklance.data.RowRanges
import io.sparklance.dataset.scan.{FragmentTask, Split, ToldZone}
import io.sparklance.dataset.statistics.ZoneFacts
import io.sparklance.io.ObjectStore
import io.sparklance.schema.Leaf

/** Zones of a split that need no values, because the statistics of the data files tell what a zone map has of
  * them: their bounds, and which rows are null, that is none or all. Bounds that count deleted rows as well
  * are still bounds.
  *
  * @param nulls
  *   zones without values
  * @param rest
  *   the other rows, a split for each run of them
  */
final private[sparklance] case class LiftedZones(
    zones: Vector[(Zone, ZoneBounds)],
    nulls: Vector[Zone],
    rest: Vector[Split]
)

private[sparklance] object LiftedZones {

  /** @param rowsPerZone
    *   of the zone map, whose zones must be as large as those of the statistics
    */
  def of(
      store: ObjectStore,
      split: Split,
      column: IndexedColumn,
      keys: NumberIndexKeys,
      rowsPerZone: Long
  ): LiftedZones = {
    val leaf = Leaf(column.path.init, column.field)
    val lifted = split.tasks.map { task =>
      task -> ToldZone.of(store, task, leaf).filter(_.statistics.rowsPerZone == rowsPerZone)
        .flatMap(zone => bounds(zone, task, keys).map(zone -> _))
    }
    if (lifted.forall(_._2.isEmpty)) LiftedZones(Vector.empty, Vector.empty, Vector(split))
    else {
      val zones = for ((task, told) <- lifted; (zone, bounds) <- told) yield zoneOf(task, zone) -> bounds
      val nulls = zones.collect { case (zone, bounds) if bounds.nulls > 0 => zone }
      LiftedZones(zones, nulls, lifted.flatMap { case (task, told) => rest(task, told.map(_._1)) })
    }
  }

  private def zoneOf(task: FragmentTask, zone: ToldZone) =
    Zone(task.fragmentId, zone.rows.start, zone.rows.length)

  private def rest(task: FragmentTask, lifted: Vector[ToldZone]): Vector[Split] =
    task.rows.intersect(RowRanges.of(lifted.map(_.rows)).complement).ranges
      .map(run => Split(Vector(task.copy(rows = RowRanges(run)))))

  /** Returns None if the statistics leave open which rows are null, or the bounds. */
  private def bounds(zone: ToldZone, task: FragmentTask, keys: NumberIndexKeys): Option[ZoneBounds] = {
    val (nulls, i) = (zone.statistics.nulls(zone.index), zone.index)
    zone.statistics.bounds match {
      case numbers: ZoneFacts.Numbers if nulls == 0 =>
        val isEmpty = numbers.least(i) > numbers.most(i)
        Some(ZoneBounds(
          Option.unless(isEmpty)(Long.box(keys.leastOf(numbers.least(i)))),
          Option.unless(isEmpty)(Long.box(keys.mostOf(numbers.most(i)))),
          0,
          numbers.nans(i)
        ))
      case _: ZoneFacts.Numbers if nulls == zone.rows.length && task.deletion.isEmpty =>
        Some(ZoneBounds(None, None, nulls, 0))
      case _: ZoneFacts.Numbers | _: ZoneFacts.Bytes | ZoneFacts.Unknown => None
    }
  }
}
