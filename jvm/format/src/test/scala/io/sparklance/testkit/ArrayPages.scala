package io.sparklance.testkit

import io.sparklance.data.{ByteRange, Column, FileVersion, RowRange, RowRanges, Slice, ValueShape}
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.encoding.pages.{PageDescription, PageLayouts}
import io.sparklance.encoding.{DictionaryNumbers, Levels}
import io.sparklance.proto.encodings20.ArrayEncoding
import io.sparklance.{LanceFormatException, Location}

/** A 2.0 page in memory, its buffers back to back as old releases laid them out. */
final case class ArrayPages(
    encoding: ArrayEncoding,
    buffers: Vector[Slice],
    rows: Long,
    numbers: DictionaryNumbers = DictionaryNumbers.FromOne
) {
  private val starts = buffers.scanLeft(0L)(_ + _.length)
  private val file = buffers.iterator.flatMap(_.toArray.iterator).toArray

  def withBuffer(i: Int, bytes: Array[Byte]): ArrayPages = copy(buffers = buffers.updated(i, Slice(bytes)))

  private def fetch(range: ByteRange): Slice =
    if (range.length == 0) Slice.Empty else Slice(file).slice(range.offset, range.length, "a range")

  /** `wanted` rows, in units of about `targetBytes`. */
  def read(
      shape: ValueShape,
      wanted: RowRange = RowRange(0, rows),
      targetBytes: Int = 1 << 16
  ): Column = LanceFormatException.locating(Location()) {
    val ranges = buffers.zip(starts).map { case (buffer, at) => ByteRange(at, buffer.length.toLong) }
    val description = PageDescription.Array(encoding)
    val decoder =
      PageLayouts.decoder(description, ranges, rows, RowRanges(wanted), shape, numbers, FileVersion.V2_0)
    val page = decoder.open(decoder.initRanges.map(fetch))
    val column = Column.forShape(shape)
    val levels = new Levels
    page.units(wanted, targetBytes).foreach { unit =>
      PrimitiveField.decode(page, unit, fetch(unit.bytes), column, levels)
    }
    column
  }
}
