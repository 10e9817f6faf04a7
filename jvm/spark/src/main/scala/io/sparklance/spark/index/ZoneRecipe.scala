package io.sparklance.spark.index

import org.apache.spark.sql.{Encoders, SparkSession}

import io.sparklance.index.IndexKind
import io.sparklance.index.build._
import io.sparklance.schema.LogicalType
import io.sparklance.spark.write.TaskBytes

/** Builds indices that describe zones of rows: tasks describe the zones of their rows, and one task writes
  * all descriptions in the order of the table.
  */
abstract private[index] class ZoneRecipe(kind: SegmentKind) extends IndexRecipe(kind) {

  /** @param zones
    *   describes the zones of a split
    * @param write
    *   writes the file to a place, from the encoded addresses of null rows and the descriptions
    */
  final protected def run(work: IndexWork, zones: ZoneSource)(
      write: (SegmentPlace, Array[Byte], Iterator[Array[Byte]]) => WrittenIndexFile
  ): BuiltSegment = {
    val (location, depth) = (work.forTasks, work.column.path.size - 1)
    val described = work.splits.flatMap(split => new ZoneRows(KeyedRows.open(location, split, depth), zones))
    val encoder =
      Encoders.tuple(Encoders.scalaInt, Encoders.scalaLong, Encoders.scalaLong, Encoders.BINARY)
    val rows = SparkSession.active.createDataset(described)(encoder)
    OneWriter.write(rows, Vector("_1", "_2", "_3"), work.files) { (place, all) =>
      val sorted = all.buffered
      val nulls = new Postings
      while (sorted.headOption.exists(_._1 == ZoneRows.Nulls)) nulls.addEncoded(sorted.next()._4)
      write(place, nulls.encode, sorted.map(_._4))
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
}

/** The description of a zone. */
private[index] trait ZoneDescriber {
  def addNull(): Unit

  /** Adds the value of row `i` of a batch. */
  def add(rows: IndexedRows, i: Int): Unit
  def describe(zone: Zone): Array[Byte]
}

/** Rows of [[ZoneRecipe.run]] for a split: null rows, and described zones by fragment and start. */
final private class ZoneRows(rows: IndexedRows, source: ZoneSource)
    extends Iterator[(Int, Long, Long, Array[Byte])] {
  private val zones = new Zones(source.rowsPerZone, () => source.start())
  private val nulls = new Postings
  private var described = Iterator.empty[(Int, Long, Long, Array[Byte])]
  private var hasMore = true

  def hasNext: Boolean = {
    while (!described.hasNext && hasMore) fill()
    described.hasNext
  }

  def next(): (Int, Long, Long, Array[Byte]) = {
    if (!hasNext) throw new NoSuchElementException
    described.next()
  }

  private def fill(): Unit = {
    hasMore = rows.next()
    if (hasMore) addBatch() else zones.finish()
    val ended = zones.ended().iterator.map { case (zone, describer) =>
      (ZoneRows.Zones, zone.fragment, zone.start, describer.describe(zone))
    }
    described = if (hasMore) ended else ended ++ Iterator((ZoneRows.Nulls, 0L, 0L, nulls.encode))
  }

  private def addBatch(): Unit = {
    var i = 0
    while (i < rows.count) {
      val zone = zones.at(rows.number(i))
      if (rows.isNull(i)) {
        zone.addNull()
        nulls.add(rows.number(i))
      } else zone.add(rows, i)
      i += 1
    }
  }
}

private object ZoneRows {
  final val Nulls = 0
  final val Zones = 1
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
    run(work, new ZoneMapSource(size, keys, hasBounds)) { (place, nulls, zones) =>
      val writer =
        new ZoneMapWriter(place.store, place.directory, field, place.version, keys, size)(nulls)
      OneWriter.guarded(writer.abort()) {
        zones.map(TaskBytes.read[(Zone, ZoneBounds)](_)).foreach { case (zone, bounds) =>
          writer.append(zone, bounds)
        }
        writer.finish()
      }
    }
  }
}

/** @param hasBounds whether the reference keeps bounds of the type */
final private class ZoneMapSource[K <: AnyRef](rowsPerZone: Long, keys: IndexKeys[K], hasBounds: Boolean)
    extends ZoneSource(rowsPerZone) {
  def start(): ZoneDescriber = new ZoneDescriber {
    private val bounds = new ZoneBoundsCollector(keys)
    def addNull(): Unit = bounds.addNull()
    def add(rows: IndexedRows, i: Int): Unit = if (hasBounds) bounds.add(keys.of(rows.values.values, i))
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
        OneWriter.guarded(writer.abort()) {
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
    def addNull(): Unit = filter.addNull()
    def add(rows: IndexedRows, i: Int): Unit = filter.add(hashes.of(rows.values.values, i))
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
