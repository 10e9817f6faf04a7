package io.sparklance.encoding.compression

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Column, FileVersion, RowRange}
import io.sparklance.encoding.EncodedPage
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.schema.{Field, LogicalType}
import io.sparklance.testkit.{Blocks, Pages}

/** Levels of columns with few nulls. */
class LevelStrategySuite extends AnyFunSuite {
  private val rows = 30000
  private val random = new Random(11)
  private val isNull = Vector.fill(rows)(random.nextInt(22) == 0)

  private def column(value: Int => Long): Column = {
    val column = new Column(Blocks.words(32, (0 until rows).map(i => if (isNull(i)) 0 else value(i))))
    isNull.foreach(if (_) column.nulls.appendNull(1) else column.nulls.appendValid(1))
    column
  }

  private def encode(of: Column, version: FileVersion): EncodedPage =
    PrimitiveField.encode(of, Field(0, "c", LogicalType.Integer(32, signed = true), nullable = true), version)

  private def isCompressed(page: EncodedPage): Boolean = page.layout.layout match {
    case Layout.MiniBlockLayout(layout) => layout.getDefCompression.compression.isGeneral
    case other => fail(s"a layout $other")
  }

  private def keys: Column = column(_ / 12 * 7 % 10L)

  test("levels that are much of a page are compressed, since 2.2, and come back") {
    val page = encode(keys, FileVersion.V2_2)
    assert(isCompressed(page) && !isCompressed(encode(keys, FileVersion.V2_1)))
    assert(page.buffers(1).length < encode(keys, FileVersion.V2_1).buffers(1).length * 0.85)
    val shape = PrimitiveField.shapeOf(Field(0, "c", LogicalType.Integer(32, signed = true), nullable = true))
    val expected = Blocks.rows(keys)
    assert(Blocks.rows(Pages.readAll(page, shape, FileVersion.V2_2)) == expected)
    val some = RowRange(9000, 9005)
    assert(Blocks.rows(Pages.read(Pages.store(page), shape, FileVersion.V2_2, some)) ==
      expected.slice(9000, 9005))
  }

  test("levels beside large values stay as they are") {
    assert(!isCompressed(encode(column(_ => random.nextInt().toLong), FileVersion.V2_2)))
  }
}
