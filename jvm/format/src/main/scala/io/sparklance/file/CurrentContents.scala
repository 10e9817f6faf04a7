package io.sparklance.file

import scala.collection.mutable

import io.sparklance.data.{ByteRange, FileVersion, Slice}
import io.sparklance.io.ReadableFile
import io.sparklance.proto.file.FileDescriptor
import io.sparklance.schema.{LanceSchema, SchemaCodec}
import io.sparklance.{LanceFormatException, ProtoBytes}

/** The container of versions since 2.0:
  * {{{
  * page buffers | schema | metadata of each column | column table | global buffer table | footer
  * }}}
  * In most files the tail has all the metadata; otherwise the wanted columns' is read when they are.
  */
final private[file] class CurrentContents(file: ReadableFile, tail: FileTail, footer: Footer)
    extends FileContents {
  import FileContents.locating

  def version: FileVersion = footer.version

  // Columns whose metadata was read, by their indices.
  private val known = mutable.HashMap.empty[Int, ColumnMetadata]

  private lazy val descriptor: FileDescriptor = locating(file, None) {
    val range = parseEntry(tail.fetch(Vector(footer.schemaEntry)).head, "the schema")
    ProtoBytes.parse(FileDescriptor, tail.fetch(Vector(range)).head.toArray, "the schema")
  }

  def column(number: Int, first: Option[Int]): Int = number

  /** Row count of the file's own descriptor; a manifest takes precedence. */
  def numRows: Long = descriptor.length

  /** The fields of a blob's descriptor are listed, too, but have no ids, and are no columns. */
  def schema: LanceSchema = locating(file, None) {
    val schema = descriptor.getSchema
    SchemaCodec.decode(schema.fields.filter(_.id >= 0), schema.metadata)
  }

  def load(requests: Vector[ColumnRequest]): Unit = { val _ = columnMetadata(indices(requests)) }

  def columns(requests: Vector[ColumnRequest], bytes: ScanBytes): Vector[Vector[ColumnMetadata]] = {
    val metadata = columnMetadata(indices(requests))
    val ends = requests.scanLeft(0)((end, request) => end + request.lists.size + 1)
    ends.zip(ends.tail).map { case (from, to) => metadata.slice(from, to) }
  }

  def columnBuffers(request: ColumnRequest, maxBytes: Long): Vector[Slice] = {
    val buffers = columnMetadata(Vector(request -> request.columnIndex)).head.buffers
    if (buffers.iterator.map(b => BigInt(b.length)).sum > maxBytes) Vector.empty
    else locating(file, Some(request))(tail.fetch(buffers))
  }

  def loadGlobals(maxBytes: Long): Unit = locating(file, None) {
    val entries = tail.fetch((0 until footer.globalBuffers).toVector.map(footer.globalEntry))
    val ranges = entries.map(parseEntry(_, "a global buffer"))
    if (ranges.iterator.map(r => BigInt(r.length)).sum <= maxBytes) { val _ = tail.fetch(ranges) }
  }

  def globalBuffer(number: Int, maxBytes: Long): Slice = locating(file, None) {
    val range = parseEntry(tail.fetch(Vector(footer.globalEntry(number))).head, "a global buffer")
    if (range.length > maxBytes)
      throw new LanceFormatException(s"global buffer $number of ${range.length} bytes exceeds $maxBytes")
    tail.fetch(Vector(range)).head
  }

  private def indices(requests: Vector[ColumnRequest]): Vector[(ColumnRequest, Int)] =
    requests.flatMap(r => (r.lists :+ r.columnIndex).map(r -> _))

  /** The metadata of columns by their indices, which is read once. */
  private def columnMetadata(columns: Vector[(ColumnRequest, Int)]): Vector[ColumnMetadata] = {
    val missing = columns.filterNot { case (_, index) => known.contains(index) }.distinctBy(_._2)
    if (missing.nonEmpty)
      missing.zip(read(missing)).foreach { case ((_, index), column) => known(index) = column }
    columns.map { case (_, index) => known(index) }
  }

  private def read(columns: Vector[(ColumnRequest, Int)]): Vector[ColumnMetadata] =
    locating(file, None) {
      val ranges = tail
        .fetch(columns.map { case (_, index) => footer.columnEntry(index) })
        .map(parseEntry(_, "a column's metadata"))
      tail.fetch(ranges).zip(columns).map { case (bytes, (request, _)) =>
        locating(file, Some(request))(ColumnMetadata.parse(bytes, file.size, version))
      }
    }

  private def parseEntry(entry: Slice, what: String): ByteRange =
    FileRanges.checked(entry.long(0), entry.long(8), file.size, what)
}
