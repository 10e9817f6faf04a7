package io.sparklance.testkit

import scala.io.Source
import scala.util.Using

import io.sparklance.data.{ByteRange, Column, DataBlock, FileVersion, RowRange, RowRanges, Slice, ValueShape}
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.encoding.pages.PageLayouts
import io.sparklance.encoding.{EncodedPage, Levels, OpenPage, PageDecoder}
import io.sparklance.proto.encodings.PageLayout
import io.sparklance.{LanceFormatException, Location}

/** Pages in memory: lays their buffers out as a file would, and reads rows back the way the file reader does.
  */
object Pages {
  private val Alignment = 64

  /** Written versions with structural encodings. */
  val versions: Vector[FileVersion] = FileVersion.writable.filter(_ != FileVersion.V2_0)

  final case class Stored(file: Array[Byte], page: EncodedPage, buffers: Vector[ByteRange]) {
    def decoder(shape: ValueShape, version: FileVersion): PageDecoder =
      PageLayouts.decoder(page.layout, buffers, page.rows, RowRanges(0, page.rows), shape, version)

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
  ): Column = LanceFormatException.locating(Location()) {
    val open = stored.open(shape, version)
    val column = Column.forShape(shape)
    val levels = new Levels
    val units = open.units(rows, targetBytes).toVector
    units.foreach(unit => PrimitiveField.decode(open, unit, stored.fetch(unit.bytes), column, levels))
    units.headOption.foreach { first =>
      column.discardHead((rows.start - first.rows.start).toInt)
      column.truncate(rows.length.toInt)
    }
    column
  }

  /** Values and levels of the units that cover `wanted`, as they come. */
  final class Decoded(val values: DataBlock, val levels: Levels, val units: Vector[RowRange]) {
    def isNull(i: Int): Boolean = levels.hasDefinition && levels.definition(i) != 0
    def nulls: Vector[Int] = (0 until levels.length).filter(isNull).toVector
    def strings: Vector[Option[String]] = Blocks.strings(values).zipWithIndex.map { case (s, i) =>
      Option.when(!isNull(i))(s)
    }
  }

  def decode(
      page: EncodedPage,
      shape: ValueShape,
      version: FileVersion = FileVersion.V2_2,
      wanted: Option[RowRange] = None,
      targetBytes: Int = 1 << 18
  ): Decoded = LanceFormatException.locating(Location()) {
    val stored = store(page)
    val open = stored.open(shape, version)
    val values = DataBlock.forShape(shape)
    val levels = new Levels
    val units = open.units(wanted.getOrElse(RowRange(0, page.rows)), targetBytes).toVector
    units.foreach(unit => open.decode(unit, stored.fetch(unit.bytes), values, levels))
    new Decoded(values, levels, units.map(_.rows))
  }

  /** A page that pylance wrote; `tests/golden/pages.py` made golden-pages.txt, and says which values they
    * have.
    */
  final case class Golden(name: String, version: FileVersion, page: EncodedPage)

  lazy val allGolden: Vector[Golden] = Using.resource(Source.fromResource("golden-pages.txt")) {
    _.getLines().filterNot(_.startsWith("#")).map { line =>
      val fields = line.split(' ')
      val layout = PageLayout.parseFrom(Hex.slice(fields(3)).toArray)
      val buffers = fields.drop(4).map(hex => Hex.slice(hex.stripPrefix("-"))).toVector
      Golden(fields(0), FileVersion.parse(fields(1)).get, EncodedPage(buffers, layout, fields(2).toLong))
    }.toVector
  }

  def golden(name: String): EncodedPage = allGolden.find(_.name == name).get.page
}
