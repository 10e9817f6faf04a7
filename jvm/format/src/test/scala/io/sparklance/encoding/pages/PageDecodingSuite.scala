package io.sparklance.encoding.pages

import scala.util.{Random, Try}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.ValueShape.{FixedSizeList, FixedWidth, Struct, VariableWidth}
import io.sparklance.data.{FileVersion, RowRange, RowRanges, Slice, ValueShape}
import io.sparklance.encoding.EncodedPage
import io.sparklance.proto.encodings.PageLayout
import io.sparklance.testkit.{Blocks, Pages, Ring}
import io.sparklance.{LanceException, LanceFormatException, UnsupportedLanceFeatureException}

/** Pages that pylance wrote, of types whose values a formula tells; other suites read the rest. */
class PageDecodingSuite extends AnyFunSuite {
  import PageDecodingSuite._

  private val golden: Vector[Golden] =
    for (page <- Pages.allGolden; (shape, row) <- columns.get(page.name))
      yield Golden(page.name, page.version, page.page, shape, row)

  test("all golden pages are there") {
    assert(golden.map(_.name).toSet == columns.keySet)
  }

  golden.foreach { case page @ Golden(name, version, encoded, _, _) =>
    test(s"$name of a $version file has the values that pylance wrote") {
      assert(Blocks.rows(Pages.readAll(encoded, page.shape, version)) == page.rows)
    }

    test(s"any rows of $name of a $version file can be read alone") {
      val stored = Pages.store(encoded)
      for (start <- Seq(0L, 1L, encoded.rows / 2, encoded.rows - 1); length <- Seq(1L, 7L, encoded.rows)) {
        val some = RowRange(start, math.min(start + length, encoded.rows))
        val read = Pages.read(stored, page.shape, version, some, targetBytes = 16)
        assert(Blocks.rows(read) == page.rows.slice(some.start.toInt, some.end.toInt), some)
      }
    }

    test(s"$name of a $version file is refused or read in full, whichever byte is wrong") {
      encoded.buffers.indices.filter(encoded.buffers(_).length > 0).foreach { i =>
        val buffer = encoded.buffers(i)
        val step = math.max(1, buffer.length / 200)
        for (at <- 0 until buffer.length by step; flip <- Seq(0x01, 0x80, 0xff)) {
          val bytes = buffer.toArray
          bytes(at) = (bytes(at) ^ flip).toByte
          readOrRefuse(page, encoded.copy(buffers = encoded.buffers.updated(i, Slice(bytes))))
        }
      }
    }

    test(s"$name of a $version file is refused or read in full, whichever bit of its description is wrong") {
      val description = encoded.layout.toByteArray
      // Others in each run, unless it is a full one.
      def bits = if (Ring.isFull) Seq.range(0, 8) else Random.shuffle(Seq.range(0, 8)).take(3)
      for (at <- description.indices; bit <- bits) {
        val bytes = description.clone()
        bytes(at) = (bytes(at) ^ 1 << bit).toByte
        withClue(s"byte $at, bit $bit: ") {
          Try(PageLayout.parseFrom(bytes)).foreach(to => readOrRefuse(page, encoded.copy(layout = to)))
        }
      }
    }

    test(s"$name of a $version file is refused when a buffer is shorter") {
      encoded.buffers.indices.foreach { i =>
        val buffer = encoded.buffers(i)
        (0 until buffer.length by math.max(1, buffer.length / 100)).foreach { length =>
          val cut = encoded.copy(buffers = encoded.buffers.updated(i, buffer.copy(length = length)))
          // A constant page may lose its levels as a whole: then it is one without any.
          if (length > 0 || !encoded.layout.layout.isConstantLayout)
            intercept[LanceException](Pages.readAll(cut, page.shape, version))
        }
      }
    }

    test(s"$name of a $version file is refused with a wrong number of rows") {
      Seq(0L, 1L, encoded.rows - 1, encoded.rows + 1, -1L, Long.MaxValue).foreach { rows =>
        if (
          encoded.buffers.nonEmpty &&
          !(encoded.layout.layout.isConstantLayout && encoded.buffers.length % 2 == 1)
        )
          intercept[LanceException] {
            Pages.store(encoded).copy(page = encoded.copy(rows = rows)).open(page.shape, version)
          }
      }
    }
  }

  private def readOrRefuse(golden: Golden, page: EncodedPage): Unit =
    try {
      val read = Pages.readAll(page, golden.shape, golden.version)
      assert(read.length == page.rows)
      ()
    } catch {
      case _: LanceFormatException | _: UnsupportedLanceFeatureException => ()
    }

  test("a mini-block page must have chunk words of its version") {
    val page = golden.find(g => g.name == "uint16_flat").get
    val error = intercept[LanceFormatException](Pages.readAll(page.page, page.shape, FileVersion.V2_1))
    assert(error.getMessage == "has_large_chunk = true in a file of version 2.1")
  }

  test("a page without a layout is refused") {
    val error = intercept[LanceFormatException] {
      PageLayouts.decoder(PageLayout(), Vector.empty, 1, RowRanges(0, 1), FixedWidth(32), FileVersion.V2_2)
    }
    assert(error.getMessage.startsWith("a page's layout is missing, or of a kind unknown"))
  }
}

private object PageDecodingSuite {

  final case class Golden(
      name: String,
      version: FileVersion,
      page: EncodedPage,
      shape: ValueShape,
      row: Row
  ) {
    def rows: Vector[Option[Any]] = (0 until page.rows.toInt).map(row).toVector
  }

  type Row = Int => Option[Any]

  private def nthNull(row: Int => Any): Row = i => Option.unless(i % 10 == 9)(row(i))
  private def text(value: String): Vector[Byte] = value.getBytes("UTF-8").toVector
  private def struct(fields: ValueShape*): ValueShape = Struct(fields.toVector)
  private def fields(values: Any*): Vector[Option[Any]] = values.map(Some(_)).toVector
  private def bit(value: Boolean): Long = if (value) 1L else 0L
  private def decimal(value: Int): Vector[Byte] =
    Vector.tabulate(16)(i => if (i < 4) (value >> 8 * i).toByte else (value >> 31).toByte)

  val columns: Map[String, (ValueShape, Row)] = Map(
    "int32_nullable" -> (FixedWidth(32) -> nthNull(i => i % 7L)),
    "int8_one_null" -> (FixedWidth(8) -> (i => Option.unless(i == 50)(i % 5L))),
    "int64_runs" -> (FixedWidth(64) -> (i => Some(1000000007L * (i / 60)))),
    "int64_dictionary" -> (FixedWidth(64) -> (i => Some(1000000000000L * (i % 3)))),
    "bool_nullable" -> (FixedWidth(1) -> nthNull(i => bit(i % 3 == 0))),
    "string_dictionary" -> (VariableWidth(32) -> (i => Some(text("word " * (i % 4))))),
    "int16_constant" -> (FixedWidth(16) -> nthNull(_ => -5L)),
    "bool_constant" -> (FixedWidth(1) -> (_ => Some(1L))),
    "string_constant" -> (VariableWidth(32) -> nthNull(_ => text("seven"))),
    "large_binary_constant" -> (VariableWidth(64) -> (_ => Some(text("seven")))),
    "fixed_size_binary_constant" -> (FixedWidth(320) -> (_ => Some(Vector.tabulate(40)(_.toByte)))),
    "double_all_null" -> (FixedWidth(64) -> (_ => None)),
    "float_split" ->
      (FixedWidth(32) ->
        (i =>
          Some(java.lang.Float.floatToRawIntBits(1.5f * (i % 5)).toLong)
        )),
    "int64_split" -> (FixedWidth(64) -> (i => Some(1000000000000000L * (i % 5)))),
    "uint16_flat" -> (FixedWidth(16) -> (i => Some((651 * i).toShort.toLong))),
    "decimal_nullable" -> (FixedWidth(128) -> nthNull(i => decimal(i - 20))),
    "fsl_bool" ->
      (FixedSizeList(16, FixedWidth(1)) -> nthNull(i => Vector.tabulate(16)(j => bit(j == i % 16)))),
    "packed" ->
      (struct(FixedWidth(32), FixedWidth(64), FixedWidth(8), FixedWidth(24), FixedWidth(16)) ->
        nthNull(i =>
          fields(
            i - 30L,
            java.lang.Double.doubleToRawLongBits(i / 4.0),
            i % 7L,
            Vector(i.toByte, i.toByte, 1.toByte),
            i.toLong * i
          )
        )),
    "packed_variable" ->
      (struct(
        FixedWidth(32),
        VariableWidth(32),
        VariableWidth(64),
        FixedSizeList(2, FixedWidth(16)),
        FixedSizeList(8, FixedWidth(1))
      ) -> nthNull(i =>
        fields(
          i.toLong,
          text("ab" * (i % 4)),
          Vector.fill(i % 3)(0.toByte),
          Vector(i.toLong, if (i % 4 == 2) 0L else 2L),
          Vector.tabulate(8)(j => bit(j == i % 8))
        )
      )),
    "packed_deep" ->
      (struct(FixedWidth(8), struct(VariableWidth(32), FixedWidth(64))) ->
        (i => Some(fields(i.toLong, fields(text(f"$i%03d " + "lance " * 50), -i.toLong))))),
    "packed_zstd" -> (struct(VariableWidth(32)) -> (i => Some(fields(text(s"$i " * 9000)))))
  )
}
