package io.sparklance.encoding.structural

import com.google.protobuf.ByteString
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.ValueShape.{FixedWidth, VariableWidth}
import io.sparklance.data.{FileVersion, NullMask, RowRange, ValueShape}
import io.sparklance.encoding.physical.Flat
import io.sparklance.encoding.{EncodedPage, Slots}
import io.sparklance.proto.encodings.{ConstantLayout, PageLayout, RepDefLayer}
import io.sparklance.testkit.{Blocks, Hex, Pages}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

class ConstantPageSuite extends AnyFunSuite {

  private def read(page: EncodedPage, shape: ValueShape): Vector[Option[Any]] =
    Blocks.rows(Pages.readAll(page, shape, FileVersion.V2_2))

  private val values: Seq[(ValueShape, Any)] = Seq(
    FixedWidth(1) -> 1L,
    FixedWidth(8) -> -3L,
    FixedWidth(16) -> -3L,
    FixedWidth(32) -> 7L,
    FixedWidth(64) -> Long.MinValue,
    FixedWidth(128) -> Vector.tabulate(16)(_.toByte),
    FixedWidth(256) -> Vector.tabulate(32)(_.toByte),
    FixedWidth(264) -> Vector.tabulate(33)(_.toByte),
    VariableWidth(32) -> Vector.empty[Byte],
    VariableWidth(32) -> Vector.tabulate(300)(_.toByte),
    VariableWidth(64) -> Vector[Byte](1, 2, 3)
  )

  values.zipWithIndex.foreach { case ((shape, value), i) =>
    test(s"one value of $shape stands for all valid rows (value $i)") {
      val withNulls = Vector.tabulate(50)(i => Option.when(i % 3 == 1)(value))
      for (rows <- Seq(Vector.fill(50)(Some(value)), withNulls)) {
        val column = Blocks.column(shape, rows)
        assert(read(ConstantPage.scalar(column, 1, shape, Slots.of(column.nulls)), shape) == rows)
      }
    }
  }

  test("a fixed width value of up to 32 bytes is in the message, any other in a buffer") {
    def placed(shape: ValueShape, value: Any): (Option[Int], Int) = {
      val column = Blocks.column(shape, Seq(Some(value)))
      val page = ConstantPage.scalar(column, 0, shape, Slots.of(column.nulls))
      (page.layout.getConstantLayout.inlineValue.map(_.size), page.buffers.length)
    }
    assert(placed(FixedWidth(1), 1L) == ((Some(1), 0)))
    assert(placed(FixedWidth(256), Vector.fill(32)(0.toByte)) == ((Some(32), 0)))
    assert(placed(FixedWidth(264), Vector.fill(33)(0.toByte)) == ((None, 1)))
    assert(placed(VariableWidth(32), Vector[Byte](1)) == ((None, 1)))
  }

  test("a byte string is stored as the offsets and the bytes of an array of one") {
    val column = Blocks.column(VariableWidth(32), Seq(None, Some("seven".getBytes.toSeq)))
    val page = ConstantPage.scalar(column, 1, VariableWidth(32), Slots.of(column.nulls))
    assert(page.buffers.map(Hex.of) ==
      Vector("0200000008000000050000000000000005000000736576656e", "", "01000000"))
  }

  test("a page of nulls has no buffers and may be of any type") {
    val nulls = new NullMask
    nulls.appendNull(30)
    val page = ConstantPage.allNull(Slots.of(nulls), FileVersion.V2_1)
    assert(page.buffers.isEmpty)
    val list = ValueShape.FixedSizeList(3, FixedWidth(32))
    (values.map(_._1) :+ list).foreach(shape => assert(read(page, shape) == Vector.fill(30)(None)))
  }

  test("units are cut so that their values do not fill the memory") {
    val shape = VariableWidth(32)
    val column = Blocks.column(shape, Vector.fill(100)(Some(Vector.fill(1000)(1.toByte))))
    val open =
      Pages.store(ConstantPage.scalar(column, 0, shape, Slots.of(column.nulls))).open(shape, FileVersion.V2_2)
    val units = open.units(RowRange(5, 45), 10040).toVector
    assert(units.map(_.rows) == Vector(5L, 15L, 25L, 35L).map(start => RowRange(start, start + 10)))
  }

  private def page(layout: ConstantLayout, buffers: String*): EncodedPage = EncodedPage(
    buffers.map(Hex.slice).toVector,
    PageLayout(PageLayout.Layout.ConstantLayout(layout)),
    3
  )
  private val nullable = ConstantLayout(layers = Seq(RepDefLayer.REPDEF_NULLABLE_ITEM))
  private def inline(hex: String): ConstantLayout =
    nullable.copy(inlineValue = Some(ByteString.copyFrom(Hex.slice(hex).toArray)))

  private def refusal(page: EncodedPage, shape: ValueShape): String =
    intercept[LanceFormatException](read(page, shape)).getMessage

  test("values that are not what the column's type says are refused") {
    assert(refusal(page(inline("0102")), FixedWidth(32)) == "1 flat values of 32 bits in 2 bytes, not 4")
    assert(refusal(page(inline("02")), FixedWidth(1)) == "a constant boolean of 2")
    assert(refusal(page(inline("0102")), VariableWidth(32)) == "a byte string as inline value of a page")
    assert(refusal(page(nullable, "02000000"), FixedWidth(32)) == "a constant of 2 parts, not 1")
    assert(refusal(
      page(nullable, "0100000005000000"),
      FixedWidth(32)
    ).startsWith("a part of a constant claims"))
    assert(
      refusal(page(nullable, "02000000 04000000 00000000 00000000"), VariableWidth(32)) ==
        "a constant byte string without offsets"
    )
    assert(
      refusal(page(nullable, "02000000 08000000 01000000 00000000 ffffffff 41"), VariableWidth(32))
        .startsWith("the value of a constant page claims")
    )
  }

  test("levels that do not fit the rows are refused") {
    assert(
      refusal(
        page(inline("01"), "", "0000"),
        FixedWidth(8)
      ).startsWith("a constant page of 3 rows with levels in")
    )
    assert(
      refusal(page(inline("01"), "", "000002000000"), FixedWidth(8)) ==
        "definition level 2 in a page whose layers go up to 1"
    )
    assert(refusal(page(nullable, "", "010000000100"), FixedWidth(8)) == "a valid row in a page of nulls")
    assert(
      refusal(page(ConstantLayout(layers = Seq(RepDefLayer.REPDEF_ALL_VALID_ITEM))), FixedWidth(8)) ==
        "a page of nulls whose layers have none"
    )
  }

  test("an empty buffer of levels means that there are none") {
    assert(read(page(inline("07"), "", ""), FixedWidth(8)) == Vector.fill(3)(Some(7L)))
  }

  test("compressed levels are read, as nested columns have them") {
    val compressed =
      nullable.copy(defCompression = Some(Flat.encoding(16)), numDefValues = 3)
    assert(read(page(compressed, "", "010001000100"), FixedWidth(8)) == Vector.fill(3)(None))
    assert(refusal(page(compressed, "", "0100"), FixedWidth(8)).contains("2 bytes"))
    val fewer = compressed.copy(numDefValues = 2)
    assert(refusal(page(fewer, "", "01000100"), FixedWidth(8)) ==
      "0 repetition and 2 definition levels in a page of 3 rows")
  }

  test("repetition levels without lists are refused") {
    assert(refusal(page(inline("01"), "0000", ""), FixedWidth(8)) ==
      "repetition levels in a page without lists")
  }

  test("fixed-size lists as the value are named as unsupported") {
    val e = intercept[UnsupportedLanceFeatureException](
      read(page(inline("01")), ValueShape.FixedSizeList(1, FixedWidth(8)))
    )
    assert(e.feature == "a fixed-size list as the value of a constant page")
  }
}
