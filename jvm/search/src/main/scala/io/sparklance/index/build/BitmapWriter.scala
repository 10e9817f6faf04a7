package io.sparklance.index.build

import io.sparklance.data.FileVersion
import io.sparklance.io.ObjectStore
import io.sparklance.schema.{Field, LanceSchema, LogicalType}

/** Writes the file of a bitmap index, or of a label list, whose keys are the items of lists:
  * {{{
  * bitmap_page_lookup.lance
  *   keys     the field's type   each once, null first, then ascending
  *   bitmaps  binary             rows with the key, see Postings.encode
  * metadata: lance:index_stats; of a label list also lance:label_list_nulls = number of the global buffer with
  * the rows whose list is null
  * }}}
  *
  * @param nullLists
  *   encoded rows whose list is null, for a label list
  */
final private[sparklance] class BitmapWriter[K <: AnyRef](
    store: ObjectStore,
    directory: String,
    field: Field,
    version: FileVersion,
    keys: IndexKeys[K],
    nullLists: Option[Array[Byte]]
) extends UnfinishedFile {
  private val writer = {
    val bitmaps = Field(1, "bitmaps", LogicalType.Binary(large = false), nullable = true)
    val metadata = nullLists.fold(Map.empty[String, String])(_ => Map("lance:label_list_nulls" -> "1"))
    val schema = LanceSchema(Vector(BTree.field(0, "keys", field), bitmaps), metadata)
    new IndexFileWriter(store, directory, "bitmap_page_lookup.lance", schema, version)
  }
  private var count = 0L
  nullLists.foreach(writer.writeGlobalBuffer)

  /** Appends a key, None for null, and its rows as [[Postings.encode]] writes them. */
  def append(key: Option[K], rows: Array[Byte]): Unit = {
    writer.appendKey(0, key, keys)
    writer.appendBytes(1, rows)
    count += 1
    writer.rowWritten()
  }

  def finish(): WrittenIndexFile = writer.finish(Map("lance:index_stats" -> s"""{"num_bitmaps":$count}"""))

  /** Removes the file. */
  def abort(): Unit = writer.abort()
}
