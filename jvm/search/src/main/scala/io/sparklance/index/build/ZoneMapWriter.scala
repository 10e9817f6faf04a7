package io.sparklance.index.build

import io.sparklance.data.FileVersion
import io.sparklance.io.ObjectStore
import io.sparklance.schema.{Field, LanceSchema, LogicalType}

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
)(nulls: Array[Byte]) extends UnfinishedFile {
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
    writer.appendKey(0, bounds.min.map(_.asInstanceOf[K]), keys)
    writer.appendKey(1, if (bounds.nans > 0) keys.nan else bounds.max.map(_.asInstanceOf[K]), keys)
    writer.appendNumber(2, bounds.nulls.toLong)
    writer.appendNumber(3, bounds.nans.toLong)
    writer.appendNumber(4, zone.fragment)
    writer.appendNumber(5, zone.start)
    writer.appendNumber(6, zone.length)
    writer.rowWritten()
  }

  def finish(): WrittenIndexFile = writer.finish()

  /** Removes the file. */
  def abort(): Unit = writer.abort()
}
