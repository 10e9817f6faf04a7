package io.sparklance.file

import java.io.BufferedOutputStream

import scala.collection.mutable

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.data.{ByteRange, FileVersion, LittleEndian, Slice}
import io.sparklance.encoding.pages.PageDescription
import io.sparklance.encoding.{EncodedArrayPage, EncodedPage}
import io.sparklance.io.WritableFile
import io.sparklance.proto.file.{FileDescriptor, Schema}
import io.sparklance.schema.{LanceSchema, SchemaCodec}

/** Writes a data file front to back: page after page, then everything that says where they are. See
  * [[FileReader]] for the layout; page buffers and the schema start at multiples of 64.
  */
final private[sparklance] class FileWriter(file: WritableFile, schema: LanceSchema, version: FileVersion) {
  if (!FileVersion.writable.contains(version))
    throw new UnsupportedLanceFeatureException(s"writing files of version $version")

  private val out = new BufferedOutputStream(file.stream, 64 << 10)
  private val fields = FileColumns.of(schema, version)
  private val columns = fields.map(_ => mutable.ArrayBuffer.empty[PageMetadata])
  private val columnBuffers = columns.map(_ => mutable.ArrayBuffer.empty[ByteRange])
  private val globalBuffers = mutable.ArrayBuffer.empty[ByteRange]
  private var written = 0L

  /** Bytes so far. */
  def position: Long = written

  /** @param firstRow of the file; the column's earlier pages hold all rows before it */
  def writePage(columnIndex: Int, page: EncodedPage, firstRow: Long): Unit = {
    val pages = following(columnIndex, firstRow)
    pages +=
      PageMetadata(page.buffers.map(writeBuffer), firstRow, page.rows, PageDescription.Structure(page.layout))
  }

  /** Adds a page of another file of this version as stored there.
    *
    * @param read
    *   reads bytes of that file, at most [[FileWriter.CopyStep]] at once
    */
  def copyPage(columnIndex: Int, page: PageMetadata, read: ByteRange => Slice): Unit = {
    FileWriter.refuseReferring(page.description)
    val pages = following(columnIndex, page.firstRow)
    pages += page.copy(buffers = page.buffers.map(copyBuffer(_, read)))
  }

  private def following(columnIndex: Int, firstRow: Long): mutable.ArrayBuffer[PageMetadata] = {
    val pages = columns(columnIndex)
    require(
      pages.lastOption.fold(0L)(_.endRow) == firstRow,
      s"column $columnIndex has no page that ends at $firstRow"
    )
    pages
  }

  /** Adds a page to a column of a file of version 2.0. A struct's column has one page, whatever its length,
    * and pages of other columns have rows.
    */
  def writeArray(columnIndex: Int, page: EncodedArrayPage): Unit = {
    val pages = columns(columnIndex)
    val firstRow = pages.lastOption.fold(0L)(_.endRow)
    val encoding = page.array.encoding
    val description =
      if (fields(columnIndex).isBlob) PageDescription.Blobs(encoding) else PageDescription.Array(encoding)
    if (page.array.encoding.arrayEncoding.isStruct) {
      pages.clear()
      pages += PageMetadata(Vector.empty, 0, firstRow + page.rows, description)
    } else if (page.rows > 0)
      pages += PageMetadata(page.array.buffers.map(writeBuffer), firstRow, page.rows, description)
  }

  /** Adds a buffer of a column as a whole, which readers of pages do not look at. */
  def writeColumnBuffer(columnIndex: Int, bytes: Slice): Unit =
    columnBuffers(columnIndex) += writeBuffer(bytes)

  /** Adds a buffer of the file. Returns its number, by which the schema's metadata may refer to it; the
    * schema itself is number 0.
    */
  def writeGlobalBuffer(bytes: Slice): Int = {
    globalBuffers += writeBuffer(bytes)
    globalBuffers.size
  }

  /** Adds the bytes of a blob, and says where they are. */
  def writeBlob(bytes: Array[Byte]): Long = writeBuffer(Slice(bytes)).offset

  /** Completes the file, which has as many rows as each of its top-level columns, and says its size.
    *
    * @param metadata
    *   further metadata of the schema
    */
  def finish(metadata: Map[String, String] = Map.empty): Long = {
    val described = columns.zip(columnBuffers).map { case (pages, buffers) =>
      ColumnMetadata(pages.toVector, buffers.toVector)
    }
    val rows = columnsOfRows.map(described(_).rows).distinct
    require(rows.size <= 1, s"columns of different numbers of rows: ${rows.mkString(", ")}")
    val schemaRange = write(schemaBytes(rows.headOption.getOrElse(0L), metadata))
    val columnMetadata = written
    val ranges = described.map(c => write(ColumnMetadata.print(c)))
    val columnTable = writeTable(ranges).offset
    val global = schemaRange +: globalBuffers.toVector
    val globalTable = writeTable(global).offset
    write(Footer(columnMetadata, columnTable, globalTable, global.size, columns.size, version).print)
    out.flush()
    file.commit()
    written
  }

  /** Removes the file. */
  def abort(): Unit = file.abort()

  /** Columns whose length is the file's number of rows, rather than a number of list items. */
  private def columnsOfRows: Vector[Int] = version match {
    case FileVersion.V0_1 | FileVersion.V2_0 =>
      schema.fields.map(FileColumns.of(_, version).size).scanLeft(0)(_ + _).init
    case FileVersion.V2_1 | FileVersion.V2_2 => columns.indices.toVector
  }

  private def schemaBytes(rows: Long, more: Map[String, String]): Array[Byte] = {
    val metadata = SchemaCodec.encodeMetadata(schema.copy(metadata = schema.metadata ++ more))
    FileDescriptor(Some(Schema(SchemaCodec.encodeFields(schema), metadata)), rows).toByteArray
  }

  private def writeTable(ranges: Vector[ByteRange]): ByteRange = {
    val bytes = new Array[Byte](Footer.EntrySize * ranges.size)
    ranges.zipWithIndex.foreach { case (range, i) =>
      LittleEndian.putLong(bytes, Footer.EntrySize * i, range.offset)
      LittleEndian.putLong(bytes, Footer.EntrySize * i + 8, range.length)
    }
    write(bytes)
  }

  /** Everything before is padded, so each buffer starts aligned. */
  private def writeBuffer(bytes: Slice): ByteRange = {
    val range = write(bytes)
    pad()
    range
  }

  private def copyBuffer(buffer: ByteRange, read: ByteRange => Slice): ByteRange = {
    val start = written
    var at = 0L
    while (at < buffer.length) {
      val n = math.min(FileWriter.CopyStep, buffer.length - at)
      val _ = write(read(buffer.slice(at, n)))
      at += n
    }
    pad()
    ByteRange(start, buffer.length)
  }

  private def pad(): Unit = {
    val _ = write(Slice(FileWriter.Padding, 0, (-written & (ColumnMetadata.Alignment - 1)).toInt))
  }

  private def write(bytes: Array[Byte]): ByteRange = write(Slice(bytes))

  private def write(bytes: Slice): ByteRange = {
    out.write(bytes.array, bytes.offset, bytes.length)
    written += bytes.length
    ByteRange(written - bytes.length, bytes.length.toLong)
  }
}

private[sparklance] object FileWriter {

  /** Bytes that are copied at once. */
  final val CopyStep: Long = 16L << 20

  private val Padding = new Array[Byte](ColumnMetadata.Alignment)

  /** Refuses pages that refer to other places of their file, or whose columns depend on each other. */
  private def refuseReferring(page: PageDescription): Unit = {
    val isWhole = page match {
      case PageDescription.Structure(layout) => !layout.layout.isBlobLayout
      case PageDescription.Batch(_) | PageDescription.Array(_) | PageDescription.Blobs(_) => false
    }
    if (!isWhole)
      throw new UnsupportedLanceFeatureException("copying a page of blobs, or of an old file version")
  }
}
