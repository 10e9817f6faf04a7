package io.sparklance.testkit

import java.util.HexFormat

import scala.io.Source

import io.sparklance.data.{ByteRange, DataBlock, FileVersion, RowRange, Slice, ValueShape}
import io.sparklance.encoding.{EncodedPage, Levels, PageLayouts}
import io.sparklance.proto.encodings.PageLayout
import io.sparklance.{LanceFormatException, Location}

/** A page in memory, read as a file reader does: first what its decoder wants beforehand, then unit by unit. */
final case class PageBytes(layout: PageLayout, buffers: Vector[Array[Byte]], rows: Long) {
  private val starts = buffers.scanLeft(0L)(_ + _.length + 64)
  private val file = {
    val bytes = new Array[Byte](starts.last.toInt)
    buffers.zip(starts).foreach { case (buffer, at) =>
      System.arraycopy(buffer, 0, bytes, at.toInt, buffer.length)
    }
    bytes
  }

  def read(range: ByteRange): Slice = Slice(file, range.offset.toInt, range.length.toInt)

  /** Values and their levels of the units that cover `wanted`, each of about `targetBytes`. */
  def decode(
      shape: ValueShape,
      version: FileVersion = FileVersion.V2_2,
      wanted: RowRange = RowRange(0, rows),
      targetBytes: Int = 1 << 18
  ): Decoded = LanceFormatException.locating(Location()) {
    val ranges = buffers.zip(starts).map { case (buffer, at) => ByteRange(at, buffer.length.toLong) }
    val decoder = PageLayouts.decoder(layout, ranges, rows, shape, version)
    val page = decoder.open(decoder.initRanges.map(read))
    val values = DataBlock.forShape(shape)
    val levels = new Levels
    val units = page.units(wanted, targetBytes)
    units.foreach(unit => page.decode(unit, read(unit.bytes), values, levels))
    new Decoded(values, levels, units.map(_.rows))
  }
}

final class Decoded(val values: DataBlock, val levels: Levels, val units: Vector[RowRange]) {
  def isNull(i: Int): Boolean = levels.hasDefinition && levels.definition(i) != 0
  def nulls: Vector[Int] = (0 until levels.length).filter(isNull).toVector
  def strings: Vector[Option[String]] = Values.strings(values).zipWithIndex.map { case (s, i) =>
    Option.when(!isNull(i))(s)
  }
}

object PageBytes {
  def of(page: EncodedPage): PageBytes = PageBytes(page.layout, page.buffers.map(_.toArray), page.rows)

  /** A page that pylance wrote; tests/golden/wide_pages.py tells how. */
  def golden(name: String): PageBytes = {
    val source = Source.fromResource(s"golden/pages/$name.txt")
    val lines = try source.getLines().toVector
    finally source.close()
    val bytes = lines.tail.map(HexFormat.of.parseHex(_))
    PageBytes(PageLayout.parseFrom(bytes.head), bytes.tail, lines.head.toLong)
  }
}
