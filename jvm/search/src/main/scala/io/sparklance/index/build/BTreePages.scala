package io.sparklance.index.build

import io.sparklance.data.{FileVersion, Fixed64Block}
import io.sparklance.io.ObjectStore
import io.sparklance.schema.{Field, LanceSchema, LogicalType}

/** A page of a B-tree: consecutive rows of its sorted data.
  *
  * @param min
  *   key of the first row; None for null
  * @param max
  *   key of the last row
  */
final private[sparklance] case class BTreePage[K](min: Option[K], max: Option[K], nulls: Int)

/** A range of a B-tree's sorted data, in a file of its own.
  *
  * @param id
  *   number in the name of its file
  */
final private[sparklance] case class BTreePart[K](
    id: Long,
    pages: Vector[BTreePage[K]],
    file: WrittenIndexFile
)

/** Location and format of the files of a new B-tree.
  *
  * @param directory
  *   of the segment
  * @param pageRows
  *   number of rows of a page
  */
final private[sparklance] case class BTreeFiles(
    directory: String,
    field: Field,
    version: FileVersion,
    pageRows: Int
)

/** Writes a sorted part of a B-tree:
  * {{{
  * page_data.lance, or part_<id>_page_data.lance
  *   values  the field's type    ascending, nulls first
  *   ids     u64                 addresses of the rows
  * }}}
  * Page i has the rows from `i * pageRows` on.
  */
final private[sparklance] class BTreePartWriter[K <: AnyRef](
    store: ObjectStore,
    files: BTreeFiles,
    partId: Option[Long]
) extends UnfinishedFile {
  private val writer = {
    val name = partId.fold(BTree.Data)(id => s"part_${java.lang.Long.toUnsignedString(id)}_${BTree.Data}")
    val schema =
      LanceSchema(Vector(BTree.withoutDictionary(BTree.field(0, "values", files.field)), BTree.ids))
    new IndexFileWriter(store, files.directory, name, schema, files.version)
  }
  private val ids = writer.columns(1).values.asInstanceOf[Fixed64Block]
  private val pages = Vector.newBuilder[BTreePage[K]]
  private var rows, nulls = 0
  private var first, last = Option.empty[K]

  /** Appends rows in the order of a sorted buffer. They come after all rows before. */
  def append(sorted: KeyBuffer[K]): Unit = {
    var at = 0
    while (at < sorted.size) {
      val most = math.min(sorted.size - at, files.pageRows - rows)
      val n = sorted.rowsWithin(at, most, BTree.PieceBytes)
      if (rows == 0) first = sorted.key(at)
      last = sorted.key(at + n - 1)
      nulls += sorted.nullsIn(at, n)
      sorted.copyTo(at, n, writer.columns(0), ids)
      writer.columns(1).nulls.appendValid(n)
      writer.rowsWritten(n)
      rows += n
      at += n
      if (rows == files.pageRows) endPage()
    }
  }

  def finish(): BTreePart[K] = {
    if (rows > 0) endPage()
    BTreePart(partId.getOrElse(0L), pages.result(), writer.finish())
  }

  /** Removes the file. */
  def abort(): Unit = writer.abort()

  private def endPage(): Unit = {
    pages += BTreePage(first, last, nulls)
    rows = 0
    nulls = 0
  }
}

/** Writes the directory of a B-tree's pages:
  * {{{
  * page_lookup.lance
  *   min, max     the field's type   of the first and the last row
  *   null_count   u32
  *   page_idx     u32                counted through all parts
  * metadata: batch_size, range_partitioned, and for parts page_num_per_range_partition = [[id, pages], …]
  * }}}
  */
private[sparklance] object BTree {
  private[build] val Data = "page_data.lance"
  private val Lookup = "page_lookup.lance"

  /** Default number of rows of a page. */
  val PageRows = 4096

  /** Bytes of keys that are appended to a file at once. */
  final private[build] val PieceBytes = 256L << 10

  private[build] val ids =
    withoutDictionary(Field(1, "ids", LogicalType.Integer(64, signed = false), nullable = false))

  /** Keeps writers from looking for distinct numbers. Sorted ones are runs; byte strings cannot be. */
  private[build] def withoutDictionary(field: Field): Field = IndexKeys.of(field.logicalType) match {
    case Some(_: NumberIndexKeys) => field.copy(metadata = Map("lance-encoding:dict-max-size" -> "0"))
    case Some(_: ByteIndexKeys) | None => field
  }

  /** A field with the indexed field's values. */
  private[build] def field(id: Int, name: String, like: Field): Field =
    Field(id, name, like.logicalType, nullable = true)

  /** Writes the directory of parts in ascending order. A single part without an id is the whole data. */
  def writeLookup[K <: AnyRef](
      store: ObjectStore,
      files: BTreeFiles,
      keys: IndexKeys[K],
      parts: Vector[BTreePart[K]],
      isPartitioned: Boolean
  ): WrittenIndexFile = {
    val schema = LanceSchema(
      Vector(
        field(0, "min", files.field),
        field(1, "max", files.field),
        Field(2, "null_count", LogicalType.Integer(32, signed = false), nullable = false),
        Field(3, "page_idx", LogicalType.Integer(32, signed = false), nullable = false)
      ),
      metadata(files, parts, isPartitioned)
    )
    UnfinishedFile.writing(new IndexFileWriter(store, files.directory, Lookup, schema, files.version)) {
      writer =>
        parts.iterator.flatMap(_.pages).zipWithIndex.foreach { case (page, i) =>
          writer.appendKey(0, page.min, keys)
          writer.appendKey(1, page.max, keys)
          writer.appendNumber(2, page.nulls.toLong)
          writer.appendNumber(3, i.toLong)
          writer.rowWritten()
        }
        writer.finish()
    }
  }

  /** Writes the data of a B-tree without rows. */
  def writeEmpty[K <: AnyRef](store: ObjectStore, files: BTreeFiles): BTreePart[K] =
    new BTreePartWriter[K](store, files, None).finish()

  private def metadata(
      files: BTreeFiles,
      parts: Vector[BTreePart[_]],
      isPartitioned: Boolean
  ): Map[String, String] = {
    val pages = parts.map(part => s"[${java.lang.Long.toUnsignedString(part.id)},${part.pages.size}]")
    Map("batch_size" -> files.pageRows.toString, "range_partitioned" -> isPartitioned.toString) ++
      Option.when(isPartitioned)("page_num_per_range_partition" -> pages.mkString("[", ",", "]"))
  }
}
