package io.sparklance.testkit

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, Column, FileVersion, RowRange, Slice, ValueShape}
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.encoding.{EncodedPage, Levels, OpenPage, PageDecoder, PageLayouts}

/** Pages in memory: lays their buffers out as a file would, and reads rows back the way the file reader does. */
object Pages {
  private val Alignment = 64

  final case class Stored(file: Array[Byte], page: EncodedPage, buffers: Vector[ByteRange]) {
    def decoder(shape: ValueShape, version: FileVersion): PageDecoder =
      PageLayouts.decoder(page.layout, buffers, page.rows, shape, version)

    def fetch(range: ByteRange): Slice =
      if (range.length == 0) Slice.Empty
      else Slice(file).slice(range.offset, range.length, "a range")

    def open(shape: ValueShape, version: FileVersion): OpenPage = {
      val page = decoder(shape, version)
      page.open(page.initRanges.map(fetch))
    }
  }

  def store(page: EncodedPage): Stored = {
    val starts =
      page.buffers.scanLeft(0L)((at, buffer) => (at + buffer.length + Alignment - 1) / Alignment * Alignment)
    val file = new Array[Byte](starts.last.toInt)
    page.buffers.zip(starts).foreach { case (buffer, at) =>
      System.arraycopy(buffer.array, buffer.offset, file, at.toInt, buffer.length)
    }
    Stored(
      file,
      page,
      page.buffers.zip(starts).map { case (buffer, at) => ByteRange(at, buffer.length.toLong) }
    )
  }

  def readAll(page: EncodedPage, shape: ValueShape, version: FileVersion): Column =
    read(store(page), shape, version, RowRange(0, page.rows))

  /** `rows` of the page; what its units bring along around them is cut off. */
  def read(
      stored: Stored,
      shape: ValueShape,
      version: FileVersion,
      rows: RowRange,
      targetBytes: Int = 1 << 16
  ): Column = LanceFormatException.locating(io.sparklance.Location()) {
    val open = stored.open(shape, version)
    val column = Column.forShape(shape)
    val levels = new Levels
    val units = open.units(rows, targetBytes)
    units.foreach(unit => PrimitiveField.decode(open, unit, stored.fetch(unit.bytes), column, levels))
    units.headOption.foreach { first =>
      column.discardHead((rows.start - first.rows.start).toInt)
      column.truncate(rows.length.toInt)
    }
    column
  }
}
