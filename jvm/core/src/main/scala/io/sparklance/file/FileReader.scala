package io.sparklance.file

import scala.util.control.NonFatal

import io.sparklance.data.{ByteRange, FileVersion, RowRange, Slice}
import io.sparklance.io.{IoClient, IoScheduler, ObjectStore, ReadableFile}
import io.sparklance.proto.file.FileDescriptor
import io.sparklance.schema.{Field, LanceSchema, Leaf, LogicalType, SchemaCodec}
import io.sparklance.{LanceFormatException, Location, ProtoBytes, UnsupportedLanceFeatureException}

/** @param columnIndex which column of the file
  * @param leaf what its values mean, and in which structs and lists they are, as the table says
  * @param lists the columns that the lists around it have in files of version 2.0, outermost first
  */
final case class ColumnRequest(columnIndex: Int, leaf: Leaf, lists: Vector[Int] = Vector.empty)

object ColumnRequest {

  /** A column without structs or lists around it. */
  def apply(columnIndex: Int, field: Field): ColumnRequest =
    ColumnRequest(columnIndex, Leaf(Vector.empty, field))
}

/** An open data file:
  * {{{
  * page buffers | schema | metadata of each column | column table | global buffer table | footer
  * }}}
  * Opening it reads the tail. In most files that has all the metadata; otherwise the wanted columns' is read when they are.
  */
final class FileReader private (file: ReadableFile, footer: Footer, tail: FileTail, io: IoClient)
    extends AutoCloseable {

  def version: FileVersion = footer.version
  def columnCount: Int = footer.columns

  private lazy val descriptor: FileDescriptor = locating(None) {
    val range = parseEntry(tail.fetch(Vector(footer.schemaEntry)).head, "the schema")
    ProtoBytes.parse(FileDescriptor, tail.fetch(Vector(range)).head.toArray, "the schema")
  }

  /** What the file says of itself; the table's own view counts where there is one. */
  def numRows: Long = descriptor.length

  /** The columns as they were called when the file was written. */
  def schema: LanceSchema = locating(None) {
    val schema = descriptor.getSchema
    SchemaCodec.decode(schema.fields, schema.metadata)
  }

  /** Reads `rows` of some columns, all of which must have `expectedRows`. */
  def scan(columns: Vector[ColumnRequest], rows: RowRange, expectedRows: Long): FileScan = {
    if (version == FileVersion.V2_0) columns.foreach(refuseDictionary)
    val metadata = columnMetadata(columns.flatMap(c => (c.lists :+ c.columnIndex).map(c -> _)))
    val wanted = rows.intersect(RowRange(0, expectedRows))
    val reads = new ScanReads(file, io, columns.size)
    val ends = columns.scanLeft(0)((end, request) => end + request.lists.size + 1)
    val cursors = columns.zipWithIndex.map { case (request, index) =>
      val own = metadata.slice(ends(index), ends(index + 1))
      locating(Some(request)) {
        if (version == FileVersion.V2_0 && request.leaf.around.nonEmpty)
          new NestedArrays(location(Some(request)), request.leaf, own.init, own.last, reads.onDemand)
            .cursor(wanted, expectedRows)
        else columnCursor(request, own.last, wanted, expectedRows, reads)
      }
    }
    new FileScan(cursors, wanted)
  }

  private def columnCursor(
      request: ColumnRequest,
      column: ColumnMetadata,
      wanted: RowRange,
      expectedRows: Long,
      reads: ScanReads
  ): RowCursor = {
    val items = request.leaf.rowsPerRow
    val expected = Math.multiplyExact(expectedRows, items.toLong)
    if (column.rows != expected)
      throw new LanceFormatException(s"a column of ${column.rows} rows where $expected are expected")
    def plan = FilePlan.pages(column, RowRange(wanted.start * items, wanted.end * items))
    val bytes = reads.ofRows(items)
    val cursor = new ColumnCursor(location(Some(request)), plan, request.leaf, version, bytes)
    if (items == 1) cursor else new FixedSizeListCursor(cursor, items)
  }

  /** Ends all scans. */
  def close(): Unit =
    try io.close()
    finally file.close()

  /** In 2.0, dictionaries of columns that are dictionaries count from 0, and those of strings, which look alike, from 1. */
  private def refuseDictionary(request: ColumnRequest): Unit = request.leaf.field.logicalType match {
    case _: LogicalType.Dictionary =>
      throw new UnsupportedLanceFeatureException(
        s"a dictionary column in a file of version $version",
        location(Some(request))
      )
    case _ => ()
  }

  /** Of columns by their indices, each wanted for a request. */
  private def columnMetadata(columns: Vector[(ColumnRequest, Int)]): Vector[ColumnMetadata] = locating(None) {
    val ranges = tail
      .fetch(columns.map { case (_, index) => footer.columnEntry(index) })
      .map(parseEntry(_, "a column's metadata"))
    tail.fetch(ranges).zip(columns).map { case (bytes, (request, _)) =>
      locating(Some(request))(ColumnMetadata.parse(bytes, file.size, version))
    }
  }

  private def parseEntry(entry: Slice, what: String): ByteRange =
    FileRanges.checked(entry.long(0), entry.long(8), file.size, what)

  private def location(request: Option[ColumnRequest]): Location =
    Location(file = Some(file.path), column = request.map(_.leaf.name))

  private def locating[A](request: Option[ColumnRequest])(body: => A): A =
    LanceFormatException.locating(location(request))(body)
}

object FileReader {

  /** @param knownSize the file's size, where a manifest tells it */
  def open(store: ObjectStore, path: String, knownSize: Option[Long]): FileReader =
    open(store, path, knownSize, IoScheduler.shared.client(store.profile))

  /** @param io of the task for which the file is read; it is closed with the file */
  def open(store: ObjectStore, path: String, knownSize: Option[Long], io: IoClient): FileReader =
    LanceFormatException.locating(Location(file = Some(path))) {
      val file = store.open(path, knownSize)
      try {
        val tail = FileTail.read(file, MetadataCache.shared)
        val footer = Footer.parse(tail.last(Footer.Size), file.size)
        new FileReader(file, footer, tail.reaching(footer.columnMetadata), io)
      } catch {
        case NonFatal(e) =>
          file.close()
          throw e
      }
    }
}
