package io.sparklance.file

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{FileVersion, RowRange, RowRanges}
import io.sparklance.encoding.pages.PageDescription
import io.sparklance.proto.encodings.PageLayout
import io.sparklance.schema.LogicalType._
import io.sparklance.schema.{Field, LanceSchema}

class FilePlanSuite extends AnyFunSuite {

  private def column(rows: Long*): ColumnMetadata = {
    val starts = rows.scanLeft(0L)(_ + _)
    ColumnMetadata(rows.zip(starts).map { case (n, start) =>
      PageMetadata(Vector.empty, start, n, PageDescription.Structure(PageLayout()))
    }.toVector)
  }

  private def planned(column: ColumnMetadata, rows: RowRange*): Vector[(Int, RowRange)] =
    FilePlan.pages(column, RowRanges.of(rows)).flatMap(p => p.rows.ranges.map(p.index -> _))

  test("a range within a page is that part of the page") {
    assert(planned(column(10, 10, 10), RowRange(13, 15)) == Vector(1 -> RowRange(3, 5)))
  }

  test("a range over several pages takes the end of the first and the start of the last") {
    assert(
      planned(column(10, 10, 10), RowRange(9, 21)) ==
        Vector(0 -> RowRange(9, 10), 1 -> RowRange(0, 10), 2 -> RowRange(0, 1))
    )
  }

  test("scattered ranges are each found in their page, which is planned once") {
    val ranges = Seq(RowRange(1, 2), RowRange(4, 6), RowRange(8, 12), RowRange(29, 30))
    assert(
      planned(column(10, 10, 10), ranges: _*) == Vector(
        0 -> RowRange(1, 2),
        0 -> RowRange(4, 6),
        0 -> RowRange(8, 10),
        1 -> RowRange(0, 2),
        2 -> RowRange(9, 10)
      )
    )
    assert(FilePlan.pages(column(10, 10, 10), RowRanges.of(ranges)).map(_.index) == Vector(0, 1, 2))
  }

  test("pages that end where the range starts, and empty ones, are left out") {
    assert(planned(column(10, 0, 10), RowRange(10, 20)) == Vector(2 -> RowRange(0, 10)))
    assert(planned(column(10), RowRange(4, 4)).isEmpty)
    assert(planned(column(), RowRange(0, 5)).isEmpty)
  }

  test("leaves are columns; packed structs, blobs and empty structs are one each") {
    val int = Integer(32, signed = true)
    def leaf(id: Int): Field = Field(id, s"f$id", int, nullable = true)
    def struct(id: Int, metadata: (String, String)*)(children: Field*): Field =
      Field(id, s"s$id", Struct, nullable = true, children.toVector, metadata.toMap)
    val list =
      Field(3, "l", List(large = false, ofStruct = true), nullable = true, Vector(struct(4)(leaf(5))))
    val schema = LanceSchema(
      Vector(
        leaf(0),
        struct(1)(leaf(2), list),
        Field(6, "v", FixedSizeList(FloatingPoint(32), 4), nullable = true),
        struct(7, "lance-encoding:packed" -> "True")(leaf(8), leaf(9)),
        struct(10)(),
        struct(11, "ARROW:extension:name" -> "lance.blob.v2")(leaf(12)),
        struct(13, "packed" -> "no")(leaf(14))
      )
    )
    def columns(version: FileVersion): Vector[Int] = FileColumns.of(schema, version).map(_.id)
    assert(columns(FileVersion.V2_2) == Vector(0, 2, 5, 6, 7, 10, 11, 14))
    assert(columns(FileVersion.V2_0) == Vector(0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 13, 14))
  }
}
