package io.sparklance.encoding.compression

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Column, DataBlock, FileVersion, RowRange, ValueShape}
import io.sparklance.encoding.EncodedPage
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.proto.encodings.{CompressionScheme, CompressiveEncoding}
import io.sparklance.schema.{Field, LogicalType}
import io.sparklance.testkit.{Blocks, Pages}

/** Choice of encodings for data, each read back. */
class CompressionStrategySuite extends AnyFunSuite {
  private val random = new Random(5)
  private val int = LogicalType.Integer(32, signed = true)
  private val long = LogicalType.Integer(64, signed = true)
  private val double = LogicalType.FloatingPoint(64)
  private val decimal = LogicalType.Decimal(128, 15, 2)
  private val text = LogicalType.Utf8(large = false)
  private val binary = LogicalType.Binary(large = false)

  private def words(bits: Int, n: Int)(value: Int => Long): DataBlock =
    Blocks.words(bits, (0 until n).map(value))
  private def strings(n: Int)(value: Int => String): DataBlock = Blocks.ofStrings((0 until n).map(value))
  private def decimals(n: Int)(value: Int => Long): DataBlock = {
    val block = DataBlock.forShape(ValueShape.FixedWidth(128))
    (0 until n).foreach { i =>
      val v = BigInt(value(i))
      Blocks.append(block, Seq.tabulate[Byte](16)(k => (v >> 8 * k).toByte))
    }
    block
  }
  private def sentence(i: Int): String = s"the ${random.nextInt(1000)}th quick fox of $i jumps over lazy dogs"
  private def randomBytes(size: Int): String = random.alphanumeric.take(size).mkString

  /** For example `dictionary(inline_bitpacking32, general[lz4](variable))`. */
  private def chosen(page: EncodedPage): String = page.layout.layout match {
    case Layout.MiniBlockLayout(l) if l.dictionary.isDefined =>
      s"dictionary(${show(l.getValueCompression)}, ${show(l.getDictionary)})"
    case Layout.MiniBlockLayout(l) => show(l.getValueCompression)
    case Layout.FullZipLayout(l) => s"full-zip ${show(l.getValueCompression)}"
    case Layout.ConstantLayout(_) => "constant"
    case other => fail(s"a layout $other")
  }

  private def show(encoding: CompressiveEncoding): String = encoding.compression match {
    case Compression.Flat(flat) => s"flat${flat.bitsPerValue}"
    case Compression.InlineBitpacking(packed) => s"inline_bitpacking${packed.uncompressedBitsPerValue}"
    case Compression.Rle(rle) => s"rle(${show(rle.getValues)})"
    case Compression.Variable(_) => "variable"
    case Compression.Fsst(fsst) => s"fsst(${show(fsst.getValues)})"
    case Compression.ByteStreamSplit(split) => s"byte_stream_split(${show(split.getValues)})"
    case Compression.General(general) =>
      s"general[${scheme(general.getCompression.scheme)}](${show(general.getValues)})"
    case other => fail(s"a compression $other")
  }

  private def scheme(scheme: CompressionScheme): String = scheme match {
    case CompressionScheme.COMPRESSION_ALGORITHM_LZ4 => "lz4"
    case CompressionScheme.COMPRESSION_ALGORITHM_ZSTD => "zstd"
    case other => fail(s"a scheme $other")
  }

  private def encoded(
      logicalType: LogicalType,
      values: DataBlock,
      metadata: Map[String, String] = Map.empty,
      version: FileVersion = FileVersion.V2_2
  ): EncodedPage = {
    val column = new Column(values)
    column.nulls.appendValid(values.length)
    val field = Field(0, "c", logicalType, nullable = true, metadata = metadata)
    val page = PrimitiveField.encode(column, field, version)
    val shape = PrimitiveField.shapeOf(field)
    val expected = Blocks.values(values)
    assert(Blocks.values(Pages.readAll(page, shape, version).values) == expected)
    val some = RowRange(expected.length / 3, expected.length / 3 + 1)
    val part = Pages.read(Pages.store(page), shape, version, some)
    assert(Blocks.values(part.values) == expected.slice(some.start.toInt, some.end.toInt))
    page
  }

  private def expectDefault(name: String, logicalType: LogicalType, v21: String, v22: String)(
      values: => DataBlock
  ): Unit = test(s"$name become $v22, and $v21 in 2.1") {
    assert(chosen(encoded(logicalType, values)) == v22)
    assert(chosen(encoded(logicalType, values, version = FileVersion.V2_1)) == v21)
  }

  private val packed32 = "inline_bitpacking32"
  expectDefault("small integers", int, packed32, packed32)(words(32, 5000)(_ => random.nextInt(1000).toLong))
  private val sorted32 = "general[lz4](byte_stream_split(flat32))"
  private val split32 = "general[zstd](byte_stream_split(flat32))"
  private val split64 = "general[zstd](byte_stream_split(flat64))"
  expectDefault("negative integers", int, split32, split32)(words(32, 5000)(_ =>
    -random.nextInt(1000).toLong
  ))
  expectDefault("integers in runs", int, "rle(flat32)", "rle(flat32)")(words(32, 5000)(i => i / 100L))
  expectDefault("sorted integers", int, sorted32, sorted32)(words(32, 5000)(_.toLong))
  expectDefault("dates that repeat", int, sorted32, sorted32)(words(32, 5000)(i => 10000L + i % 3 * 365))
  expectDefault("integers near the ones before", int, split32, split32) {
    words(32, 5000)(i => 2450000L + i / 100 + random.nextInt(60))
  }
  expectDefault("equal integers", int, "rle(flat32)", "constant")(words(32, 5000)(_ => 7L))
  expectDefault("few small longs", long, "inline_bitpacking64", "inline_bitpacking64") {
    words(64, 5000)(_ => random.nextInt(50).toLong)
  }
  expectDefault("few large longs", long, split64, s"dictionary($packed32, flat64)") {
    words(64, 5000)(_ => Long.MinValue + 12345678901L * random.nextInt(50))
  }
  expectDefault("few doubles", double, split64, s"dictionary($packed32, general[zstd](flat64))") {
    words(64, 5000)(_ => java.lang.Double.doubleToLongBits(-0.25 * random.nextInt(300)))
  }
  expectDefault("different doubles", double, "flat64", "flat64") {
    words(64, 5000)(_ => java.lang.Double.doubleToLongBits(random.nextGaussian()))
  }
  expectDefault(
    "few decimals",
    decimal,
    s"dictionary($packed32, flat128)",
    s"dictionary($packed32, general[zstd](flat128))"
  ) {
    decimals(5000)(_ => random.nextInt(50).toLong)
  }
  private val wide = "general[zstd](flat128)"
  private val fast = "general[lz4](flat128)"
  expectDefault("different decimals", decimal, wide, wide)(decimals(5000)(i => i * 7919L))
  expectDefault("different decimals below zero", decimal, wide, wide)(decimals(5000)(i => i * -7919L))
  expectDefault("decimals of which most are equal", decimal, fast, fast) {
    decimals(5000)(i => if (i % 20 == 0) random.nextInt(3000).toLong else 0L)
  }
  expectDefault("large decimals", LogicalType.Decimal(128, 38, 2), "flat128", "flat128") {
    val block = DataBlock.forShape(ValueShape.FixedWidth(128))
    (0 until 5000).foreach(_ => Blocks.append(block, Seq.fill(16)(random.nextInt().toByte)))
    block
  }
  expectDefault(
    "decimals of 256 bits",
    LogicalType.Decimal(256, 50, 2),
    "general[zstd](flat256)",
    "general[zstd](flat256)"
  ) {
    val block = DataBlock.forShape(ValueShape.FixedWidth(256))
    (0 until 5000).foreach(i =>
      Blocks.append(block, Seq.tabulate[Byte](32)(k => if (k < 4) (i * 7919 >> 8 * k).toByte else 0))
    )
    block
  }
  expectDefault("few strings", text, s"dictionary($packed32, variable)", s"dictionary($packed32, variable)") {
    strings(5000)(_ => Seq("AIR", "RAIL", "SHIP")(random.nextInt(3)))
  }
  expectDefault(
    "strings of one letter",
    text,
    s"dictionary($packed32, variable)",
    s"dictionary($packed32, variable)"
  ) {
    strings(5000)(_ => Seq("A", "N", "R")(random.nextInt(3)))
  }
  expectDefault(
    "strings in runs",
    text,
    "dictionary(rle(flat32), variable)",
    "dictionary(rle(flat32), general[zstd](variable))"
  ) {
    strings(5000)(i => s"${i / 100}")
  }
  private val texts = "general[zstd](variable)"
  expectDefault("sentences", text, texts, texts)(strings(5000)(sentence))
  expectDefault("a few sentences", text, "variable", "variable")(strings(50)(sentence))
  expectDefault("short strings", text, "variable", "variable")(strings(5000)(i => (i % 5000).toString))
  expectDefault("strings of random letters", binary, "fsst(variable)", "fsst(variable)") {
    strings(5000)(_ => randomBytes(20))
  }
  expectDefault("long sentences", text, "full-zip fsst(variable)", "full-zip fsst(variable)") {
    strings(300)(i => sentence(i) * 10)
  }
  expectDefault(
    "very long sentences",
    text,
    "full-zip general[zstd](variable)",
    "full-zip general[zstd](variable)"
  ) {
    strings(3)(i => sentence(i) * 1000)
  }

  private def expectHint(name: String, logicalType: LogicalType, expected: String, hints: (String, String)*)(
      values: => DataBlock
  ): Unit = for (version <- Seq(FileVersion.V2_1, FileVersion.V2_2))
    test(s"$name with ${hints.mkString(", ")} become $expected in $version") {
      val metadata = hints.map { case (key, value) => s"lance-encoding:$key" -> value }.toMap
      assert(chosen(encoded(logicalType, values, metadata, version)) == expected)
    }

  private def smooth = words(64, 5000)(i => java.lang.Double.doubleToLongBits(1e9 + i))
  private def numbers = words(32, 5000)(_ => random.nextInt(1000).toLong)
  expectHint("sentences", text, "general[zstd](variable)", "compression" -> "zstd")(strings(5000)(sentence))
  expectHint(
    "sentences",
    text,
    "general[zstd](variable)",
    "compression" -> "ZSTD",
    "compression-level" -> "9"
  ) {
    strings(5000)(sentence)
  }
  expectHint("sentences", text, "general[lz4](variable)", "compression" -> "lz4")(strings(5000)(sentence))
  expectHint("sentences", text, "variable", "compression" -> "none")(strings(5000)(sentence))
  expectHint("long sentences", text, "full-zip variable", "compression" -> "none")(strings(300)(i =>
    sentence(i) * 10
  ))
  expectHint("long sentences", text, "full-zip general[zstd](variable)", "compression" -> "lz4") {
    strings(300)(i => sentence(i) * 10)
  }
  expectHint("few sentences", text, "fsst(variable)", "compression" -> "fsst", "dict-divisor" -> "5000") {
    strings(5000)(i => f"a sentence ${i % 100}%03d of one hundred")
  }
  expectHint("few strings", text, "variable", "compression" -> "none")(strings(5000)(i => s"${i % 3}"))
  expectHint(
    "smooth doubles",
    double,
    "general[zstd](byte_stream_split(flat64))",
    "compression" -> "zstd"
  )(smooth)
  expectHint("smooth doubles", double, "general[lz4](flat64)", "compression" -> "lz4", "bss" -> "off")(smooth)
  expectHint("decimals", decimal, "general[zstd](flat128)", "compression" -> "zstd")(decimals(5000)(i =>
    i * 7919L
  ))
  expectHint("integers", int, "flat32", "compression" -> "none")(numbers)
  expectHint("runs", int, packed32, "rle-threshold" -> "0.01", "bss" -> "off")(words(32, 5000)(i => i / 50L))
  expectHint("runs", int, "rle(flat32)", "rle-threshold" -> "0.03")(words(32, 5000)(i => i / 50L))
  expectHint("integers", int, "full-zip flat32", "structural-encoding" -> "fullzip")(numbers)
  expectHint("long strings", text, "variable", "structural-encoding" -> "miniblock", "compression" -> "none") {
    strings(300)(_ => randomBytes(1000))
  }

  test("zstd makes each form as small as it can: words, and strings of up to 256 KiB since 2.2") {
    def asked(of: LogicalType, values: DataBlock, version: FileVersion = FileVersion.V2_2): String =
      chosen(encoded(of, values, Map("lance-encoding:compression" -> "zstd"), version))
    assert(asked(int, words(32, 5000)(i => i % 7L)) == "general[zstd](flat32)")
    assert(asked(int, words(32, 5000)(i => i / 9 * 7919L)).startsWith("general[zstd]"))
    assert(asked(int, words(32, 5000)(_ => random.nextInt().toLong)) == "flat32")
    val long = strings(300)(i => sentence(i) * 100)
    assert(asked(text, long) == "general[zstd](variable)")
    assert(asked(text, long, FileVersion.V2_1) == "full-zip general[zstd](variable)")
  }

  test("nulls take no item of a dictionary") {
    val column = new Column(strings(5000)(i => if (i % 9 == 0) "" else Seq("Y", "N")(random.nextInt(2))))
    (0 until 5000).foreach(i => if (i % 9 == 0) column.nulls.appendNull(1) else column.nulls.appendValid(1))
    val expected = Blocks.rows(column)
    val page = PrimitiveField.encode(column, Field(0, "c", text, nullable = true), FileVersion.V2_2)
    assert(page.layout.getMiniBlockLayout.numDictionaryItems == 2)
    assert(Blocks.rows(Pages.readAll(page, ValueShape.VariableWidth(32), FileVersion.V2_2)) == expected)
  }

  test("dictionaries are compressed as asked for") {
    val values = strings(5000)(_ => s"the name of product number ${random.nextInt(200)}")
    def asked(codec: String) =
      chosen(encoded(text, values, Map("lance-encoding:dict-values-compression" -> codec)))
    assert(asked("zstd") == s"dictionary($packed32, general[zstd](variable))")
    assert(asked("lz4") == s"dictionary($packed32, general[lz4](variable))")
    assert(asked("none") == s"dictionary($packed32, variable)")
  }

  test("strings go into chunks of the size that is asked for") {
    def chunks(bytes: String): Int = {
      val page = encoded(text, strings(5000)(i => s"$i"), Map("lance-encoding:minichunk-size" -> bytes))
      page.buffers.head.length / 4
    }
    assert(chunks("512") > 2 * chunks("4096") && chunks("4096") > chunks("32768"))
  }

  test("chunks of decimals have 16 KiB before compression in 2.2, and in 2.1 half of that or a quarter") {
    val values = decimals(5000)(_ => random.nextLong())
    val asTheyAre = Map("lance-encoding:compression" -> "none")
    assert(encoded(decimal, values, asTheyAre).buffers.head.length / 4 == 5)
    assert(encoded(decimal, values, asTheyAre, FileVersion.V2_1).buffers.head.length / 2 == 20)
    assert(encoded(decimal, values).buffers.head.length / 4 == 5)
    assert(encoded(decimal, values, version = FileVersion.V2_1).buffers.head.length / 2 == 10)
  }

  test("values that do not get shorter are stored as they are") {
    val noise = DataBlock.forShape(ValueShape.VariableWidth(32))
    (0 until 500).foreach(_ => Blocks.append(noise, Seq.fill(200)(random.nextInt().toByte)))
    assert(chosen(encoded(binary, noise)) == "variable")
    assert(chosen(encoded(binary, noise, Map("lance-encoding:compression" -> "zstd"))) == "variable")
    val large = DataBlock.forShape(ValueShape.VariableWidth(32))
    (0 until 2).foreach(_ => Blocks.append(large, Seq.fill(40000)(random.nextInt().toByte)))
    assert(chosen(encoded(binary, large)) == "full-zip variable")
  }
}
