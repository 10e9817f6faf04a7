package io.sparklance.index.build

import io.sparklance.data.{FileVersion, Fixed32Block, Fixed64Block}
import io.sparklance.io.ObjectStore
import io.sparklance.schema.{Field, LanceSchema, LogicalType}

/** Bounds and counts of a zone's live rows.
  *
  * @param min
  *   least key, if any value is neither null nor NaN and the type has bounds
  */
final private[sparklance] case class ZoneBounds(
    min: Option[AnyRef],
    max: Option[AnyRef],
    nulls: Int,
    nans: Int
)

/** Computes [[ZoneBounds]].
  *
  * @param keys
  *   of the type, if it has bounds
  */
final private[sparklance] class ZoneBoundsCollector[K <: AnyRef](keys: IndexKeys[K]) {
  private var min, max = Option.empty[K]
  private var nulls, nans = 0

  def addNull(): Unit = nulls += 1

  def add(key: K): Unit =
    if (keys.isNaN(key)) nans += 1
    else {
      if (min.forall(keys.compare(key, _) < 0)) min = Some(key)
      if (max.forall(keys.compare(key, _) > 0)) max = Some(key)
    }

  def bounds: ZoneBounds = ZoneBounds(min, max, nulls, nans)
}

/** Writes the file of a zone map:
  * {{{
  * zonemap.lance
  *   min, max      the field's type   null without such values; max is NaN if the zone has one
  *   null_count    u32                live rows
  *   nan_count     u32
  *   fragment_id   u64
  *   zone_start    u64                offset in the fragment
  *   zone_length   u64                from the first row to the last
  * metadata: rows_per_zone; null_bitmap = number of the global buffer with all null rows
  * }}}
  *
  * @param nulls
  *   encoded addresses of null rows
  */
final private[sparklance] class ZoneMapWriter[K <: AnyRef](
    store: ObjectStore,
    directory: String,
    field: Field,
    version: FileVersion,
    keys: IndexKeys[K],
    rowsPerZone: Long
)(nulls: Array[Byte]) {
  private val writer = {
    def count(id: Int, name: String, bits: Int) =
      Field(id, name, LogicalType.Integer(bits, signed = false), nullable = false)
    val fields = Vector(
      BTree.field(0, "min", field),
      BTree.field(1, "max", field),
      count(2, "null_count", 32),
      count(3, "nan_count", 32),
      count(4, "fragment_id", 64),
      count(5, "zone_start", 64),
      count(6, "zone_length", 64)
    )
    val metadata = Map("rows_per_zone" -> rowsPerZone.toString, "null_bitmap" -> "1")
    new IndexFileWriter(store, directory, "zonemap.lance", LanceSchema(fields, metadata), version)
  }
  writer.writeGlobalBuffer(nulls)

  def append(zone: Zone, bounds: ZoneBounds): Unit = {
    appendKey(0, bounds.min)
    appendKey(1, if (bounds.nans > 0) keys.nan else bounds.max)
    appendCount(2, bounds.nulls)
    appendCount(3, bounds.nans)
    appendNumber(4, zone.fragment)
    appendNumber(5, zone.start)
    appendNumber(6, zone.length)
    writer.rowWritten()
  }

  def finish(): WrittenIndexFile = writer.finish()

  /** Removes the file. */
  def abort(): Unit = writer.abort()

  private def appendKey(column: Int, key: Option[AnyRef]): Unit = {
    val to = writer.columns(column)
    key.fold(to.appendNulls(1)) { value =>
      keys.append(value.asInstanceOf[K], to.values)
      to.nulls.appendValid(1)
    }
  }

  private def appendCount(column: Int, number: Int): Unit = {
    writer.columns(column).values.asInstanceOf[Fixed32Block].append(number)
    writer.columns(column).nulls.appendValid(1)
  }

  private def appendNumber(column: Int, number: Long): Unit = {
    writer.columns(column).values.asInstanceOf[Fixed64Block].append(number)
    writer.columns(column).nulls.appendValid(1)
  }
}
