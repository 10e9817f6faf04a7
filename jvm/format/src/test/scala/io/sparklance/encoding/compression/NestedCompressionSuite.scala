package io.sparklance.encoding.compression

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Column, DataBlock, FileVersion, RowRange, Slice, ValueShape}
import io.sparklance.encoding.EncodedPage
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.schema.{Field, LogicalType}
import io.sparklance.testkit.{Blocks, Hostile, Pages, Ring}

/** Pages of random words and decimals, in whatever encodings within encodings the writer chooses. */
class NestedCompressionSuite extends AnyFunSuite {
  private val seed = Random.nextLong()
  private val cases = Ring.cases(fast = 40, everyday = 100, full = 20000)

  private val types = Vector(
    LogicalType.Integer(8, signed = true),
    LogicalType.Integer(16, signed = true),
    LogicalType.Integer(32, signed = true),
    LogicalType.Integer(64, signed = true),
    LogicalType.FloatingPoint(64),
    LogicalType.Decimal(128, 20, 2),
    LogicalType.Decimal(256, 50, 2)
  )

  /** Lengths around the ends of chunks. */
  private val lengths = Vector(1, 2, 255, 256, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 4097, 9000)

  /** Values with a pattern that some encoding suits. */
  private def pattern(random: Random): Int => Long = {
    val few = Vector.fill(1 + random.nextInt(20))(random.nextLong() >> random.nextInt(64))
    val (bits, step) = (random.nextInt(64), 1 + random.nextInt(200))
    val first = random.nextLong() >> random.nextInt(64)
    var run = 0L
    random.nextInt(7) match {
      case 0 => i => first + i.toLong * step
      case 1 => i => first + i / step + random.nextInt(step)
      case 2 => _ => few(random.nextInt(few.size))
      case 3 => i => few(i % few.size)
      case 4 => _ => random.nextLong() >>> bits
      case 5 => _ => random.nextLong() >> bits
      case 6 =>
        _ =>
          if (random.nextInt(step) == 0) run = random.nextLong() >> bits
          run
    }
  }

  private def column(random: Random, shape: ValueShape, length: Int): Column = {
    val value = pattern(random)
    val block = DataBlock.forShape(shape)
    val column = new Column(block)
    val nulls = random.nextInt(3) match {
      case 0 => 0.0
      case 1 => 0.04
      case 2 => random.nextDouble()
    }
    (0 until length).foreach { i =>
      val word = value(i)
      val isNull = random.nextDouble() < nulls
      Blocks.append(block, valueOf(if (isNull) 0 else word, shape))
      if (isNull) column.nulls.appendNull(1) else column.nulls.appendValid(1)
    }
    column
  }

  private def valueOf(word: Long, shape: ValueShape): Any = shape match {
    case ValueShape.FixedWidth(bits) if bits > 64 =>
      Seq.tabulate[Byte](bits / 8)(k => (word >> math.min(63, 8 * k)).toByte)
    case _ => word
  }

  private def damaged(random: Random, page: EncodedPage): EncodedPage = {
    val full = page.buffers.indices.filter(page.buffers(_).length > 0)
    if (full.isEmpty) page
    else {
      val buffer = full(random.nextInt(full.size))
      val bytes = page.buffers(buffer).toArray
      bytes(random.nextInt(bytes.length)) = random.nextInt().toByte
      page.copy(buffers = page.buffers.updated(buffer, Slice(bytes)))
    }
  }

  test("random pages are read as written, in whole and in part, and damaged ones right or not at all") {
    for (number <- 0 until cases) {
      val random = new Random(seed + number)
      val version = Pages.versions(random.nextInt(Pages.versions.size))
      val field = Field(0, "c", types(random.nextInt(types.size)), nullable = true)
      val shape = PrimitiveField.shapeOf(field)
      val length = lengths(random.nextInt(lengths.size))
      withClue(s"case $number of seed $seed, $length of ${field.logicalType} in $version: ") {
        check(random, column(random, shape, length), field, version)
      }
    }
  }

  private def check(random: Random, column: Column, field: Field, version: FileVersion): Unit = {
    val shape = PrimitiveField.shapeOf(field)
    val expected = Blocks.rows(column)
    val page = PrimitiveField.encode(column, field, version)
    assert(Blocks.rows(Pages.readAll(page, shape, version)) == expected)
    val from = random.nextInt(expected.length)
    val some = RowRange(from.toLong, (from + 1 + random.nextInt(expected.length - from)).toLong)
    val part = Pages.read(Pages.store(page), shape, version, some)
    assert(Blocks.rows(part) == expected.slice(some.start.toInt, some.end.toInt))
    Hostile.decodesOrRefuses(expected.length) {
      Pages.readAll(damaged(random, page), shape, version).length
    }
  }
}
