package io.sparklance.index.build

import io.sparklance.data.FileVersion
import io.sparklance.io.ObjectStore
import io.sparklance.schema.{Field, LanceSchema, LogicalType}

/** Writes the file of an index of bloom filters:
  * {{{
  * bloomfilter.lance
  *   fragment_id, zone_start, zone_length  u64
  *   has_null                              bool
  *   bloom_filter_data                     binary  see BloomFilter
  * metadata: bloomfilter_item = rows of a zone; bloomfilter_probability; null_bitmap = number of the global
  * buffer with all null rows
  * }}}
  *
  * @param nulls
  *   encoded addresses of null rows
  */
final private[sparklance] class BloomFilterWriter(
    store: ObjectStore,
    directory: String,
    version: FileVersion,
    items: Long,
    probability: Double
)(nulls: Array[Byte]) extends UnfinishedFile {
  private val writer = {
    def number(id: Int, name: String) =
      Field(id, name, LogicalType.Integer(64, signed = false), nullable = false)
    val fields = Vector(
      number(0, "fragment_id"),
      number(1, "zone_start"),
      number(2, "zone_length"),
      Field(3, "has_null", LogicalType.Bool, nullable = false),
      Field(4, "bloom_filter_data", LogicalType.Binary(large = false), nullable = false)
    )
    val metadata = Map(
      "bloomfilter_item" -> items.toString,
      "bloomfilter_probability" -> BigDecimal(probability).bigDecimal.toPlainString,
      "null_bitmap" -> "1"
    )
    new IndexFileWriter(store, directory, "bloomfilter.lance", LanceSchema(fields, metadata), version)
  }
  writer.writeGlobalBuffer(nulls)

  def append(zone: Zone, hasNull: Boolean, filter: Array[Byte]): Unit = {
    writer.appendNumber(0, zone.fragment)
    writer.appendNumber(1, zone.start)
    writer.appendNumber(2, zone.length)
    writer.appendNumber(3, if (hasNull) 1 else 0)
    writer.appendBytes(4, filter)
    writer.rowWritten()
  }

  def finish(): WrittenIndexFile = writer.finish()

  /** Removes the file. */
  def abort(): Unit = writer.abort()
}
