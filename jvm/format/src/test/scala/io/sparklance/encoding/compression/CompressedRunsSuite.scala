package io.sparklance.encoding.compression

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Column, DataBlock, RowRange, ValueShape}
import io.sparklance.encoding.EncodedPage
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.schema.{Field, LogicalType}
import io.sparklance.testkit.{Blocks, Pages}

/** Runs whose values are compressed once more. */
class CompressedRunsSuite extends AnyFunSuite {
  private val rows = 30000
  private val key = 12
  private val random = new Random(4)
  private val shape = ValueShape.FixedWidth(64)
  private val keys = Vector.fill(rows / key)(random.nextInt(100000).toLong)

  private def column(value: Int => Long): Column = {
    val column = new Column(Blocks.words(64, (0 until rows).map(value)))
    column.nulls.appendValid(rows)
    column
  }

  private def isCompressed(page: EncodedPage): Boolean = page.layout.layout match {
    case Layout.MiniBlockLayout(layout) =>
      layout.getValueCompression.compression match {
        case Compression.General(general) => general.getValues.compression.isRle
        case _ => false
      }
    case _ => false
  }

  private def encode(of: Column, version: io.sparklance.data.FileVersion): EncodedPage =
    PrimitiveField.encode(of, Field(0, "c", LogicalType.Integer(64, signed = true), nullable = true), version)

  for (version <- Pages.versions) {
    test(s"runs of small keys take less than a value of 8 bytes and a length in $version") {
      val repeated = column(i => keys(i / key))
      val page = encode(repeated, version)
      assert(isCompressed(page))
      assert(Blocks.rows(Pages.readAll(page, shape, version)) == Blocks.rows(repeated))
      assert(page.buffers(1).length < 0.8 * 9 * keys.size)
    }

    test(s"the values of compressed runs stand for their chunk in $version") {
      val page = Pages.store(encode(column(i => keys(i / key)), version))
      val open = page.open(shape, version)
      val unit = open.units(RowRange(0, 1), 1).next()
      val found = open.candidates(unit, page.fetch(unit.bytes), DataBlock.forShape(shape))
      val inChunk = (0 until unit.rows.length.toInt).map(i => keys(i / key)).distinct
      assert(found.map(Blocks.values(_).toSet).contains(inChunk.toSet))
    }

    test(s"runs of values without a pattern are as they are in $version") {
      val noise = Vector.fill(rows / key)(random.nextLong())
      assert(!isCompressed(encode(column(i => noise(i / key)), version)))
    }
  }
}
