package io.sparklance.spark.index

import io.sparklance.index.build.{IndexedRows, Postings, Zone, Zones}

/** Order of the rows of [[ZoneRecipe]]: null rows of all splits, then zones by their first address. */
private[index] object ZoneKey {
  final val OfNulls = -1L

  def of(fragment: Long, start: Long): Long = fragment << 32 | start

  /** Returns the rows of zones that have only null rows, with their key. */
  def nulls(zones: Vector[Zone]): Option[(Long, Array[Byte])] = Option.unless(zones.isEmpty) {
    val rows = new Postings
    zones.foreach { zone =>
      val first = of(zone.fragment, zone.start)
      (first until first + zone.length).foreach(rows.add)
    }
    OfNulls -> rows.encode
  }
}

/** Null rows of a split, and its zones: each with its key. Runs in a task. */
final private[index] class DescribedZones(rows: IndexedRows, source: ZoneSource)
    extends Iterator[(Long, Array[Byte])] {
  private val zones = new Zones(source.rowsPerZone, () => source.start())
  private val nulls = new Postings
  private var described = Iterator.empty[(Long, Array[Byte])]
  private var hasMore = true

  def hasNext: Boolean = {
    while (!described.hasNext && hasMore) fill()
    described.hasNext
  }

  def next(): (Long, Array[Byte]) = {
    if (!hasNext) throw new NoSuchElementException
    described.next()
  }

  private def fill(): Unit = {
    hasMore = rows.next()
    if (hasMore) addBatch() else zones.finish()
    val ended = zones.ended().iterator.map { case (zone, describer) =>
      ZoneKey.of(zone.fragment, zone.start) -> describer.describe(zone)
    }
    described = if (hasMore) ended else ended ++ Iterator(ZoneKey.OfNulls -> nulls.encode)
  }

  private def addBatch(): Unit = {
    var from = 0
    while (from < rows.count) {
      val until = from + zones.add(rows.numbers, from, rows.count - from)
      zones.current.add(rows, from, until)
      from = until
    }
    if (rows.nulls != null) addNulls()
  }

  private def addNulls(): Unit = {
    var i = 0
    while (i < rows.count) {
      if (rows.isNull(i)) nulls.add(rows.number(i))
      i += 1
    }
  }
}
