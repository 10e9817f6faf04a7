package io.sparklance.spark.index

import scala.annotation.unused

import io.sparklance.dataset.scan.Split
import io.sparklance.index.IndexKind
import io.sparklance.index.build._
import io.sparklance.io.ObjectStore
import io.sparklance.schema.LogicalType
import io.sparklance.spark.write.TaskBytes

/** Builds indices that describe zones of rows: tasks describe the zones of their rows, and one task writes
  * all descriptions in the order of the table.
  */
abstract private[index] class ZoneRecipe(kind: SegmentKind) extends ScalarRecipe(kind) {

  /** @param zones
    *   describes the zones of a split
    * @param write
    *   writes the file to a place, from the encoded addresses of null rows and the descriptions
    */
  final protected def run(work: IndexWork, zones: ZoneSource)(
      write: (SegmentPlace, Array[Byte], Iterator[Array[Byte]]) => WrittenIndexFile
  ): BuiltSegment = {
    val (location, depth) = (work.forTasks, work.column.path.size - 1)
    val described = work.splits.flatMap { split =>
      val known = zones.known(location.store, split)
      known.described.iterator ++
        KeyRanges.each(location, known.rest.iterator, depth).flatMap(new DescribedZones(_, zones))
    }
    new OneWriter(work.files).writeBytes(described) { (place, all) =>
      val sorted = all.buffered
      val nulls = new Postings
      while (sorted.headOption.exists(_._1 == ZoneKey.OfNulls)) nulls.addEncoded(sorted.next()._2)
      write(place, nulls.encode, sorted.map(_._2))
    }
  }
}

/** Describes zones, in a task.
  *
  * @param rowsPerZone
  *   number of live rows of a zone
  */
abstract private[index] class ZoneSource(val rowsPerZone: Long) extends Serializable {
  def start(): ZoneDescriber

  /** Returns what is known of a split before its values are read. */
  def known(@unused store: ObjectStore, split: Split): KnownZones = KnownZones(Vector.empty, Vector(split))
}

/** Zones that statistics describe, and the rows that they leave open.
  *
  * @param described
  *   null rows and zones, each with its key
  * @param rest
  *   rows whose values have to be read
  */
final private[index] case class KnownZones(described: Vector[(Long, Array[Byte])], rest: Vector[Split])

/** The description of a zone. */
private[index] trait ZoneDescriber {

  /** Adds rows of a batch. */
  def add(rows: IndexedRows, from: Int, until: Int): Unit
  def describe(zone: Zone): Array[Byte]
}

/** Builds zone maps. */
final private[index] class ZoneMapRecipe(rowsPerZone: Long)
    extends ZoneRecipe(SegmentKind(IndexKind.ZoneMap, Some(rowsPerZone))) {

  def fits(column: IndexedColumn): Boolean = IndexKeys.of(column.field.logicalType).isDefined

  def takes: String = "booleans, numbers, strings, binary values, dates, times, timestamps and durations"

  def build(work: IndexWork): BuiltSegment = IndexKeys.of(work.column.field.logicalType) match {
    case Some(keys: NumberIndexKeys) => build(work, keys)
    case Some(keys: ByteIndexKeys) => build(work, keys)
    case None => throw new IllegalStateException(s"no keys of ${work.column.field.logicalType}")
  }

  private def build[K <: AnyRef](work: IndexWork, keys: IndexKeys[K]): BuiltSegment = {
    val (field, size) = (work.column.field, rowsPerZone)
    val hasBounds = field.logicalType match {
      case LogicalType.FixedSizeBinary(_) => false
      case _ => true
    }
    run(work, new ZoneMapSource(size, work.column, keys, hasBounds)) { (place, nulls, zones) =>
      val writer =
        new ZoneMapWriter(place.store, place.directory, field, place.version, keys, size)(nulls)
      UnfinishedFile.writing(writer) { writer =>
        zones.map(TaskBytes.read[(Zone, ZoneBounds)](_)).foreach { case (zone, bounds) =>
          writer.append(zone, bounds)
        }
        writer.finish()
      }
    }
  }
}

/** Collects the zones of a zone map.
  *
  * @param hasBounds
  *   whether the reference keeps bounds of the type
  */
final private class ZoneMapSource[K <: AnyRef](
    rowsPerZone: Long,
    column: IndexedColumn,
    keys: IndexKeys[K],
    hasBounds: Boolean
) extends ZoneSource(rowsPerZone) {

  override def known(store: ObjectStore, split: Split): KnownZones = keys match {
    case numbers: NumberIndexKeys =>
      val lifted = LiftedZones.of(store, split, column, numbers, rowsPerZone)
      val described = lifted.zones.map { case (zone, bounds) =>
        ZoneKey.of(zone.fragment, zone.start) -> TaskBytes.of((zone, bounds))
      }
      KnownZones(ZoneKey.nulls(lifted.nulls).toVector ++ described, lifted.rest)
    case _: ByteIndexKeys => super.known(store, split)
  }

  def start(): ZoneDescriber = new ZoneDescriber {
    private val bounds = ZoneBoundsCollector.of(keys)
    def add(rows: IndexedRows, from: Int, until: Int): Unit = {
      val (values, isNull) = (rows.values.values, rows.nulls)
      var i = from
      while (i < until) {
        if (isNull != null && isNull(i)) bounds.addNull() else if (hasBounds) bounds.add(values, i)
        i += 1
      }
    }
    def describe(zone: Zone): Array[Byte] = TaskBytes.of((zone, bounds.bounds))
  }
}

/** Builds bloom filters. */
final private[index] class BloomFilterRecipe(items: Long, probability: Double)
    extends ZoneRecipe(SegmentKind(IndexKind.BloomFilter)) {

  def fits(column: IndexedColumn): Boolean = BloomHashes.fit(column.field.logicalType)

  def takes: String = "integers, float, double, strings, binary values, dates, times and timestamps"

  def build(work: IndexWork): BuiltSegment = {
    val (count, rate) = (items, probability)
    run(work, new BloomFilterSource(items, BloomFilter.sizeFor(items, probability))) {
      (place, nulls, zones) =>
        val writer = new BloomFilterWriter(place.store, place.directory, place.version, count, rate)(nulls)
        UnfinishedFile.writing(writer) { writer =>
          zones.map(TaskBytes.read[(Zone, Boolean, Array[Byte])](_)).foreach { case (zone, hasNull, filter) =>
            writer.append(zone, hasNull, filter)
          }
          writer.finish()
        }
    }
  }
}

final private class BloomFilterSource(items: Long, size: Int) extends ZoneSource(items) {
  @transient private lazy val hashes = new BloomHashes

  def start(): ZoneDescriber = new ZoneDescriber {
    private val filter = new BloomFilter(size)
    def add(rows: IndexedRows, from: Int, until: Int): Unit = {
      val (values, isNull) = (rows.values.values, rows.nulls)
      var i = from
      while (i < until) {
        if (isNull != null && isNull(i)) filter.addNull() else filter.add(hashes.of(values, i))
        i += 1
      }
    }
    def describe(zone: Zone): Array[Byte] = TaskBytes.of((zone, filter.hasNull, filter.toBytes))
  }
}

private[index] object ZoneRecipe {
  private val RowsPerZone = 8192L
  private val MaxRowsPerZone = 1L << 31

  def zoneMap(settings: IndexSettings): ZoneMapRecipe = {
    settings.only("rows_per_zone")
    new ZoneMapRecipe(settings.number("rows_per_zone", 1, MaxRowsPerZone).getOrElse(RowsPerZone))
  }

  def bloomFilter(settings: IndexSettings): BloomFilterRecipe = {
    settings.only("number_of_items", "probability")
    new BloomFilterRecipe(
      settings.number("number_of_items", 1, MaxRowsPerZone).getOrElse(BloomFilter.Items),
      settings.fraction("probability").getOrElse(BloomFilter.Probability)
    )
  }
}
