package io.sparklance.encoding.compression

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Column, DataBlock, FileVersion, ValueShape}
import io.sparklance.encoding.EncodedPage
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.MiniBlockLayout
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.schema.{Field, LogicalType}
import io.sparklance.testkit.{Blocks, Pages}

/** Runs that nulls do not divide. */
class ContinuedSuite extends AnyFunSuite {
  private val rows = 20000
  private val key = 12

  /** Zeroes below nulls, as a writer has them. */
  private def column(bits: Int, nullShare: Double)(value: Int => Long): Column = {
    val random = new Random(9)
    val isNull = Vector.fill(rows)(random.nextDouble() < nullShare)
    val column = new Column(Blocks.words(bits, (0 until rows).map(i => if (isNull(i)) 0L else value(i))))
    isNull.foreach(if (_) column.nulls.appendNull(1) else column.nulls.appendValid(1))
    column
  }

  private def encode(column: Column, bits: Int, version: FileVersion): EncodedPage =
    PrimitiveField.encode(
      column,
      Field(0, "c", LogicalType.Integer(bits, signed = true), nullable = true),
      version
    )

  private def layout(page: EncodedPage): MiniBlockLayout = page.layout.layout match {
    case Layout.MiniBlockLayout(layout) => layout
    case other => fail(s"a layout $other")
  }

  private def isRuns(page: EncodedPage): Boolean = layout(page).getValueCompression.compression match {
    case Compression.Rle(_) => true
    case Compression.General(general) => general.getValues.compression.isRle
    case _ => false
  }

  private def assertRead(page: EncodedPage, column: Column, bits: Int, version: FileVersion): Unit = {
    val read = Pages.readAll(page, ValueShape.FixedWidth(bits), version)
    def rows(of: Column) = Blocks.rows(of)
    assert(rows(read) == rows(column))
    ()
  }

  for {
    version <- Pages.versions
    bits <- Seq(8, 16, 32, 64)
  } test(s"4 % of nulls among runs of $bits bits add only levels in $version") {
    def value(i: Int): Long = (i / key * 37 % 97 + 20).toLong << bits - 8
    val (with4, without) = (column(bits, 0.04)(value), column(bits, 0)(value))
    val page = encode(with4, bits, version)
    assert(isRuns(page))
    assertRead(page, with4, bits, version)
    val levels = rows / 8 + rows / 100
    assert(page.buffers(1).length <= encode(without, bits, version).buffers(1).length + levels)
  }

  test("a null at the start, and a page of which most are null, are read back") {
    val few = column(64, 0.999)(i => i.toLong << 40)
    assertRead(encode(few, 64, FileVersion.V2_2), few, 64, FileVersion.V2_2)
    assert(few.nulls.isNull(0) && few.nulls.count < rows)
  }

  test("nulls end no run of a dictionary's positions") {
    def value(i: Int): Long = (i / key % 50).toLong << 50 | 1L << 62
    val nulls = column(64, 0.04)(value)
    val page = encode(nulls, 64, FileVersion.V2_2)
    assert(isRuns(page) && layout(page).dictionary.isDefined)
    assertRead(page, nulls, 64, FileVersion.V2_2)
    val runs = rows / key + rows / 255
    assert(page.buffers(1).length <= 5 * runs + rows / 8 + rows / 100)
  }

  test("the values themselves do not change") {
    val nulls = column(32, 0.1)(i => (i / key).toLong)
    val before: DataBlock = Blocks.words(32, Blocks.values(nulls.values).map(_.asInstanceOf[Long]))
    val _ = encode(nulls, 32, FileVersion.V2_2)
    assert(Blocks.values(nulls.values) == Blocks.values(before))
  }
}
