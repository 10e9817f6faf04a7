package io.sparklance.encoding.structural

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException
import io.sparklance.data._
import io.sparklance.encoding.physical.{General, Variable}
import io.sparklance.encoding.{EncodedPage, PerValueCompressor, Slots}
import io.sparklance.proto.encodings.FullZipLayout.Details
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.proto.encodings.{
  BufferCompression,
  CompressionScheme,
  FullZipLayout,
  PageLayout,
  RepDefLayer
}
import io.sparklance.testkit.{Blocks, Hostile, Pages}

class FullZipSuite extends AnyFunSuite {
  private val strings = ValueShape.VariableWidth(32)
  private val vectors = ValueShape.FixedSizeList(128, ValueShape.FixedWidth(32))
  private val zstd = BufferCompression(CompressionScheme.COMPRESSION_ALGORITHM_ZSTD)

  private def column(shape: ValueShape, values: DataBlock, isNull: Int => Boolean = _ => false): Column = {
    val column = new Column(values)
    for (i <- 0 until values.length)
      if (isNull(i)) column.nulls.appendNull(1) else column.nulls.appendValid(1)
    assert(DataBlock.forShape(shape).getClass == values.getClass)
    column
  }

  private def encode(
      shape: ValueShape,
      column: Column,
      scheme: Option[BufferCompression] = None
  ): EncodedPage =
    FullZip.encode(column, shape, Slots.of(column.nulls), scheme.map(each(_, shape)))

  private def each(scheme: BufferCompression, shape: ValueShape): PerValueCompressor = shape match {
    case ValueShape.VariableWidth(bits) =>
      General.perValueCompressor(scheme, Variable.perValueCompressor(bits))
    case other => fail(s"values of $other are not compressed one by one")
  }

  private def stringPage(
      values: Seq[Option[String]],
      scheme: Option[BufferCompression] = None,
      bits: Int = 32
  ) = {
    val shape = ValueShape.VariableWidth(bits)
    encode(
      shape,
      column(shape, Blocks.ofStrings(values.map(_.getOrElse("under a null"))), values(_).isEmpty),
      scheme
    )
  }

  private def vectorBlock(rows: Int): FixedSizeListBlock = {
    val block = Blocks.list(DataBlock.forShape(vectors))
    for (i <- 0 until rows * 128) Blocks.append(block.items, i)
    block.advance(rows)
    block
  }

  private def changed(page: EncodedPage)(change: FullZipLayout => FullZipLayout): EncodedPage =
    page.copy(layout = PageLayout(Layout.FullZipLayout(change(page.layout.getFullZipLayout))))

  private def refusal(page: EncodedPage, shape: ValueShape): String =
    intercept[LanceFormatException](Pages.decode(page, shape)).getMessage

  for (n <- Seq(0, 1, 2, 255, 1000); bits <- Seq(32, 64); scheme <- Seq(None, Some(zstd)))
    test(
      s"$n strings return, with lengths of $bits bits, compressed by ${scheme.fold("nothing")(_.scheme.name)}"
    ) {
      val shape = ValueShape.VariableWidth(bits)
      for (nullEvery <- Seq(Int.MaxValue, 3, 1)) {
        val values = Vector.tabulate(n)(i => Option.when(i % nullEvery != nullEvery - 1)("s" * (i % 300)))
        val page = stringPage(values, scheme, bits)
        assert(Pages.decode(page, shape).strings == values)
        assert(Pages.decode(page, shape, targetBytes = 700).strings == values)
      }
    }

  test("the repetition index takes the smallest width that holds the page's size") {
    for ((bytes, width) <- Seq(251 -> 1, 252 -> 2, 65531 -> 2, 65532 -> 4)) {
      val page = stringPage(Seq(Some("x" * bytes)))
      assert(page.buffers(1).length == 2 * width, s"for ${bytes + 4} bytes")
      assert(Pages.decode(page, strings).strings == Vector(Some("x" * bytes)))
    }
  }

  test("a repetition index of any width is read") {
    val page = stringPage(Seq(Some("ab"), None, Some("")))
    val offsets = page.buffers(1).toArray.map(_.toInt)
    for (width <- Seq(1, 2, 4, 8)) {
      val wide = offsets.flatMap(o => Array(o.toByte) ++ new Array[Byte](width - 1))
      assert(Pages.decode(page.copy(buffers = Vector(page.buffers(0), Slice(wide))), strings).strings ==
        Vector(Some("ab"), None, Some("")))
    }
  }

  test("a null string is its control word alone") {
    assert(stringPage(Seq(None, Some("a"))).buffers(0).toArray.toSeq == Seq(1, 0, 1, 0, 0, 0, 'a'))
  }

  for (n <- Seq(1, 2, 7, 600))
    test(s"$n vectors return, with and without nulls") {
      for (isNull <- Seq[Int => Boolean](_ => false, _ % 3 == 1, _ => true)) {
        val page = encode(vectors, column(vectors, vectorBlock(n), isNull))
        for (target <- Seq(1, 5000, 1 << 18)) {
          val decoded = Pages.decode(page, vectors, targetBytes = target)
          assert(Blocks.ints(Blocks.list(decoded.values).items) == Vector.range(0, n * 128))
          assert(decoded.nulls == (0 until n).filter(isNull))
          assert(decoded.levels.length == n)
        }
      }
    }

  test("values of many bytes return") {
    val block = new FixedBytesBlock(300)
    for (i <- 0 until 5) {
      val at = block.extend(1) * 300
      java.util.Arrays.fill(block.bytes, at, at + 300, i.toByte)
    }
    val shape = ValueShape.FixedWidth(2400)
    val decoded = Pages.decode(encode(shape, column(shape, block, _ == 3)), shape)
    assert(decoded.nulls == Vector(3))
    decoded.values match {
      case b: FixedBytesBlock => assert(b.bytes.take(1500).toSeq == block.bytes.take(1500).toSeq)
      case other => fail(s"$other")
    }
  }

  test("units are as large as wished, hold the rows asked for, and no others when rows are found directly") {
    val vectorPage = encode(vectors, column(vectors, vectorBlock(100)))
    val units =
      Pages.decode(vectorPage, vectors, wanted = Some(RowRange(10, 21)), targetBytes = 4 * 512 + 511).units
    assert(units == Vector(RowRange(10, 14), RowRange(14, 18), RowRange(18, 21)))
    val page = stringPage(Vector.tabulate(10)(i => Some("x" * (i * 10))))
    val decoded = Pages.decode(page, strings, wanted = Some(RowRange(3, 8)), targetBytes = 100)
    assert(decoded.units == Vector(RowRange(3, 5), RowRange(5, 6), RowRange(6, 7), RowRange(7, 8)))
    assert(decoded.strings == (3 until 8).map(i => Some("x" * (i * 10))))
  }

  test("strings of pylance decode: plain, FSST, each compressed by zstd") {
    def decode(name: String, bits: Int = 32): Vector[Option[String]] =
      Pages.decode(Pages.golden(name), ValueShape.VariableWidth(bits)).strings
    assert(decode("strings") == Vector(Some("x" * 300), Some("a"), None, Some(""), Some("bbb")))
    val shortened = Vector.tabulate(160) { i =>
      if (i % 9 == 4) Some("") else if (i % 9 == 5) None else Some(f"$i%03d " + "lance " * 50)
    }
    assert(decode("strings_fsst") == shortened)
    val long = Vector.tabulate(4)(i => Some(s"abc$i" * 10000)) ++ Vector(Some(""), None)
    assert(decode("strings_zstd") == long)
    assert(decode("binary_zstd_64", 64) == long)
  }

  test("vectors of pylance decode: with null rows, null items, and null items only") {
    def decode(name: String) = Pages.decode(Pages.golden(name), vectors)
    val floats = Vector.tabulate(5 * 128)(_.toFloat)
    assert(Blocks.floats(Blocks.list(decode("fsl_float").values).items) == floats)
    val nullRows = decode("fsl_float_null_rows")
    assert(Blocks.floats(Blocks.list(nullRows.values).items) == floats)
    assert(nullRows.nulls == Vector(2))
    val nullItems = decode("fsl_float_null_items")
    assert(nullItems.nulls == Vector(2))
    for { (item, i) <- Blocks.items(nullItems.values)(Blocks.floats).zipWithIndex; if i / 128 != 2 }
      assert(item == Option.when((i / 128 + i % 128) % 5 != 0)(i.toFloat))
    val noItems = decode("fsl_float_all_items_null")
    assert(noItems.nulls == Vector(1))
    assert(Blocks.items(noItems.values)(Blocks.floats) == Vector.fill(5 * 128)(None))
  }

  test("lists of lists of pylance decode, with nulls at each level") {
    val shape = ValueShape.FixedSizeList(10, ValueShape.FixedSizeList(40, ValueShape.FixedWidth(32)))
    val decoded = Pages.decode(Pages.golden("fsl_of_fsl"), shape)
    assert(decoded.nulls == Vector(2))
    val outer = Blocks.list(decoded.values)
    val items = Blocks.items(outer.items)(Blocks.ints)
    for { r <- 0 until 2; j <- 0 until 10 } {
      assert(outer.itemNulls.isNull(10 * r + j) == (j % 3 == 0))
      if (j % 3 != 0) for (k <- 0 until 40)
        assert(items((10 * r + j) * 40 + k) == Option.when((r + j + k) % 4 != 0)(k))
    }
  }

  test("booleans and fixed-size binary of pylance decode") {
    val bools = Pages.decode(Pages.golden("bool"), ValueShape.FixedWidth(1))
    assert(Blocks.ints(bools.values).zipWithIndex.filter(_._2 != 2).map(_._1) == Vector(1, 0, 1))
    assert(bools.nulls == Vector(2))
    val binary = Pages.decode(Pages.golden("fixed_size_binary"), ValueShape.FixedWidth(2400))
    assert(binary.nulls == Vector(3))
    binary.values match {
      case b: FixedBytesBlock =>
        for (i <- Seq(0, 1, 2, 4)) assert(b.bytes.slice(i * 300, i * 300 + 300).forall(_ == i))
      case other => fail(s"$other")
    }
  }

  for (
    (name, shape) <- Seq(
      "strings" -> strings,
      "fsl_float" -> vectors,
      "fsl_float_null_rows" -> vectors,
      "fsl_float_null_items" -> vectors,
      "fixed_size_binary" -> ValueShape.FixedWidth(2400),
      "bool" -> ValueShape.FixedWidth(1)
    )
  )
    test(s"what pylance wrote is written again byte for byte: $name") {
      val page = Pages.golden(name)
      val decoded = Pages.decode(page, shape)
      val again = encode(shape, column(shape, decoded.values, decoded.isNull))
      assert(again.layout == page.layout)
      assert(again.buffers.corresponds(page.buffers)(_.toArray sameElements _.toArray))
    }

  test("repetition levels without lists, and lists without these, are refused") {
    val page = stringPage(Seq(Some("a")))
    assert(refusal(changed(page)(_.copy(bitsRep = 1)), strings) ==
      "repetition levels of 1 bits for 0 layers of lists")
    val layers = Seq(RepDefLayer.REPDEF_ALL_VALID_ITEM, RepDefLayer.REPDEF_NULLABLE_LIST)
    assert(refusal(changed(page)(_.copy(layers = layers)), strings) ==
      "repetition levels of 0 bits for 1 layers of lists")
  }

  test("layouts that contradict the page or the column are refused") {
    val page = stringPage(Seq(Some("a"), None))
    assert(refusal(changed(page)(_.copy(numItems = 3)), strings) ==
      "3 slots with 2 values in a page of 2 rows")
    assert(refusal(changed(page)(_.copy(bitsDef = 17)), strings) == "levels of 0 and 17 bits")
    assert(refusal(changed(page)(_.copy(details = Details.Empty)), strings).contains("does not say how wide"))
    assert(refusal(page.copy(buffers = page.buffers.take(1)), strings) ==
      "a full-zip page of 1 buffers, not 2")
    val explained = changed(page)(_.copy(layers = Seq(RepDefLayer.REPDEF_ALL_VALID_ITEM)))
    assert(refusal(explained, strings) == "definition level 1 in a page whose layers go up to 0")
    assert(refusal(page, ValueShape.VariableWidth(64)).contains("offsets"))
    val vector = encode(vectors, column(vectors, vectorBlock(2)))
    val narrow = changed(vector)(_.copy(details = Details.BitsPerValue(32)))
    assert(refusal(narrow, vectors).startsWith("values of 32 bits in a column of"))
    val short = vector.copy(buffers = vector.buffers.map(b => b.copy(length = b.length - 1)))
    assert(refusal(short, vectors) == "2 rows of 512 bytes in a buffer of 1023")
  }

  test("a repetition index that does not fit its page is refused") {
    val page = stringPage(Seq(Some("a"), Some("bb")))
    def withIndex(offsets: Int*): EncodedPage =
      page.copy(buffers = Vector(page.buffers(0), Slice(offsets.map(_.toByte).toArray)))
    assert(Pages.decode(withIndex(0, 5, 11), strings).strings == Vector(Some("a"), Some("bb")))
    assert(refusal(withIndex(0, 5), strings) == "a repetition index of 2 bytes for 2 rows")
    assert(refusal(withIndex(1, 5, 11), strings) == "a repetition index covers [1, 11) of 11 bytes")
    assert(refusal(withIndex(0, 5, 12), strings) == "a repetition index covers [0, 12) of 11 bytes")
    assert(refusal(withIndex(0, 12, 11), strings) == "row 0 is at [0, 12) of 11 bytes")
    assert(refusal(withIndex(0, 6, 11), strings) == "a row of 6 bytes has a slot of 5")
    assert(refusal(withIndex(0, 2, 11), strings) == "a row with 2 bytes where a value of -1 should be")
  }

  test("broken pages give as many values, or an error") {
    val plain = stringPage(Seq(Some("alpha"), None, Some(""), Some("b")))
    val compressed = stringPage(Seq(Some("alpha"), None, Some("")), Some(zstd))
    val shape = ValueShape.FixedSizeList(3, ValueShape.FixedWidth(8))
    val block = Blocks.list(DataBlock.forShape(shape))
    for (i <- 0 until 9) Blocks.append(block.items, i)
    block.itemNulls.appendNull(1)
    block.advance(3)
    val lists = encode(shape, column(shape, block, _ == 1))
    for {
      (page, shape) <- Seq(plain -> strings, compressed -> strings, lists -> shape); b <- page.buffers.indices
    }
      for (bad <- Hostile.truncations(page.buffers(b).toArray) ++ Hostile.flips(page.buffers(b).toArray))
        Hostile.decodesOrRefuses(page.rows.toInt) {
          Pages.decode(page.copy(buffers = page.buffers.updated(b, Slice(bad))), shape).values.length
        }
  }
}
