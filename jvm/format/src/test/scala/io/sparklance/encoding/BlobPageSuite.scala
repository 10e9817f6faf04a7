package io.sparklance.encoding

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{
  ByteRange,
  Column,
  DataBlock,
  Fixed64Block,
  RowRange,
  Slice,
  StructBlock,
  ValueShape
}
import io.sparklance.proto.encodings.RepDefLayer
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Descriptors that stand for nulls. BlobReaderSuite reads whole pages of pylance. */
class BlobPageSuite extends AnyFunSuite {
  private val Word = ValueShape.FixedWidth(64)
  private val Shape = ValueShape.Struct(Vector(Word, Word))

  /** A page of these positions and sizes. */
  private def descriptors(rows: Seq[(Long, Long)], level: Int = 0): PageDecoder = new PageDecoder {
    def initRanges: Vector[ByteRange] = Vector.empty
    def open(init: Vector[Slice]): OpenPage = new OpenPage {
      def layers: Layers = Layers.OfLeaf
      def units(rows: RowRange, targetBytes: Int): Iterator[DecodeUnit] = Iterator.empty
      def decode(unit: DecodeUnit, bytes: Slice, values: DataBlock, levels: Levels): Unit = values match {
        case structs: StructBlock =>
          rows.foreach { case (position, size) =>
            append(structs.children(0), position)
            append(structs.children(1), size)
          }
          structs.advance(rows.size)
          val at = levels.extend(rows.size)
          rows.indices.foreach(i => levels.definition(at + i) = level.toShort)
          levels.hasDefinition = true
        case other => fail(s"$other")
      }
    }
  }

  private def append(column: Column, value: Long): Unit = column.values match {
    case block: Fixed64Block =>
      block.append(value)
      column.nulls.appendValid(1)
    case other => fail(s"$other")
  }

  /** The definition levels; empty if there are none. */
  private def decode(page: PageDecoder, rows: Int): Seq[Int] = {
    val levels = new Levels
    val unit = DecodeUnit(RowRange(0, rows.toLong), ByteRange(0, 0))
    page.open(Vector.empty).decode(unit, Slice.Empty, DataBlock.forShape(Shape), levels)
    assert(levels.length == rows && !levels.hasRepetition)
    if (levels.hasDefinition) levels.definition.take(rows).map(_ & 0xffff).toSeq else Nil
  }

  private def layers(kinds: RepDefLayer*): Layers = Layers.parse(kinds)
  private val nullable = RepDefLayer.REPDEF_NULLABLE_ITEM
  private val valid = RepDefLayer.REPDEF_ALL_VALID_ITEM

  test("a blob without bytes is null if its position holds levels") {
    val rows = Seq((0L, 0L), (64L, 5L), (0x10000L, 0L), (0L, 7L), (0x20000L, 0L))
    assert(decode(BlobPage.decoder(descriptors(rows), layers(nullable, nullable)), 5) == Seq(0, 0, 1, 0, 2))
  }

  test("a page without nulls has no levels") {
    assert(decode(BlobPage.decoder(descriptors(Seq((0L, 0L), (64L, 5L))), layers(valid)), 2) == Nil)
  }

  test("in 2.0 any position of a blob without bytes makes it null, but for 0") {
    assert(decode(BlobPage.array(descriptors(Seq((1L, 0L), (0L, 0L), (64L, 5L), (64L, 0L)))), 4) ==
      Seq(1, 0, 0, 1))
  }

  test("levels that the page's layers do not have are bad data") {
    for (position <- Seq(1L, 0x10001L, 0x20000L, 0x100000000L, -1L, Long.MinValue)) {
      val page = BlobPage.decoder(descriptors(Seq((position, 0L))), layers(nullable))
      assert(intercept[LanceFormatException](decode(page, 1)).reason.startsWith("a null blob with levels "))
    }
    val none = BlobPage.decoder(descriptors(Seq((0x10000L, 0L))), layers(valid))
    assert(intercept[LanceFormatException](decode(none, 1)).reason.contains("go up to 0"))
  }

  test("descriptors that are null themselves, blobs in lists, and columns of other types are refused") {
    val twice = BlobPage.decoder(descriptors(Seq((0L, 0L)), level = 1), layers(nullable))
    assert(intercept[LanceFormatException](decode(twice, 1)).reason.contains("null themselves"))
    val inList = layers(nullable, RepDefLayer.REPDEF_ALL_VALID_LIST)
    assert(intercept[UnsupportedLanceFeatureException](BlobPage.decoder(descriptors(Nil), inList)).feature ==
      "blobs of version 1 in lists")
    intercept[LanceFormatException](BlobPage.checkShape(Word))
    intercept[LanceFormatException](BlobPage.checkShape(ValueShape.Struct(Vector(Word))))
  }
}
