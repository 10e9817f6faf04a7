package io.sparklance.file

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.encoding.pages.PageDescription
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.proto.encodings.{ConstantLayout, FullZipLayout, MiniBlockLayout, PageLayout, RepDefLayer}
import io.sparklance.proto.encodings20.ArrayEncoding
import io.sparklance.schema.{Field, LogicalType, TimeUnit}

/** Bytes of values without an encoding, by their type and by what the page tells. */
class PlainSizeSuite extends AnyFunSuite {
  private val float = LogicalType.FloatingPoint(32)
  private val arrays = PageDescription.Array(ArrayEncoding())

  private def size(page: PageDescription, of: LogicalType): Option[Long] =
    PlainSize.of(page, rows = 9, Field(0, "c", of, nullable = true))

  private def structure(layout: Layout): PageDescription =
    PageDescription.Structure(PageLayout(layout))

  test("by type") {
    val known = Map(
      LogicalType.Bool -> 2L,
      LogicalType.Decimal(128, 12, 2) -> 144L,
      LogicalType.Time(TimeUnit.Second) -> 36L,
      LogicalType.FixedSizeList(float, 8) -> 288L,
      LogicalType.Dictionary(float, LogicalType.Integer(8, signed = true)) -> 36L
    )
    for ((of, bytes) <- known) assert(size(arrays, of).contains(bytes), of)
    val varying = Seq(
      LogicalType.Utf8(large = false),
      LogicalType.Struct,
      LogicalType.FixedSizeList(LogicalType.Unknown("x"), 2)
    )
    for (of <- varying) assert(size(arrays, of).isEmpty, of)
  }

  test("by the number of values, which in a page of lists is not that of the rows") {
    assert(size(structure(Layout.MiniBlockLayout(MiniBlockLayout(numItems = 20))), float).contains(80L))
    assert(size(structure(Layout.FullZipLayout(FullZipLayout(numVisibleItems = 5))), float).contains(20L))
    def constant(layer: RepDefLayer) = structure(Layout.ConstantLayout(ConstantLayout(layers = Seq(layer))))
    assert(size(constant(RepDefLayer.REPDEF_NULLABLE_ITEM), float).contains(36L))
    assert(size(constant(RepDefLayer.REPDEF_NULLABLE_LIST), float).isEmpty)
  }
}
