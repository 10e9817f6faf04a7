package io.sparklance.encoding.physical

import java.nio.charset.StandardCharsets.ISO_8859_1

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException
import io.sparklance.data.{LittleEndian, Slice, ValueShape, VariableBlock}
import io.sparklance.testkit.{Blocks, Hostile, Pages}

class FsstSuite extends AnyFunSuite {

  private def table(on: Boolean, symbols: String*): Array[Byte] = {
    val bytes = new Array[Byte](2312)
    LittleEndian.putLong(bytes, 0, 0x46535354L << 32 | (if (on) 1L << 24 else 0L) | symbols.length)
    symbols.zipWithIndex.foreach { case (symbol, i) =>
      symbol.getBytes(ISO_8859_1).copyToArray(bytes, 8 + 8 * i)
      bytes(8 + 8 * symbols.length + i) = symbol.length.toByte
    }
    bytes
  }
  private val symbols = table(on = true, "lance", " ", "abcdefgh")

  /** A chunk of values that are already codes. */
  private def chunk(codes: Seq[String], bits: Int = 32): Slice = {
    val block = new VariableBlock
    codes.map(_.getBytes(ISO_8859_1)).foreach(c => block.append(c, 0, c.length))
    Variable.compressor(bits).compress(block).chunks.head.buffers.head
  }

  private def decode(table: Array[Byte], chunk: Slice, count: Int, bits: Int = 32): VariableBlock = {
    val out = Blocks.ofStrings(Seq("first"))
    Fsst.miniBlock(table, bits).decompress(Array(chunk), count, out)
    out
  }

  private def decodeValue(table: Array[Byte], codes: Array[Byte]): VariableBlock = {
    val out = Blocks.ofStrings(Seq("first"))
    Fsst.perValue(table).decompress(codes, 0, codes.length, out)
    out
  }

  for (bits <- Seq(32, 64))
    test(s"symbols and escaped bytes decode, with offsets of $bits bits") {
      val codes = Seq("\u0000\u0001\u0002", "", "\u00ffx\u00ff\u0000", "\u0002\u0002")
      val expected = Vector("first", "lance abcdefgh", "", "x\u0000", "abcdefghabcdefgh")
      assert(Blocks.strings(decode(symbols, chunk(codes, bits), 4, bits)) == expected)
    }

  test("values one by one decode, short ones and those of more than 64 KiB of codes") {
    for (n <- Seq(0, 1, 65536, 65537, 100000)) {
      val codes = Array.tabulate[Byte](n)(i => (i % 3).toByte)
      val expected = (0 until n).map(i => Seq("lance", " ", "abcdefgh")(i % 3)).mkString
      assert(Blocks.strings(decodeValue(symbols, codes)) == Vector("first", expected))
    }
  }

  test("values end and escapes stand anywhere in the stretches that are decoded in one go") {
    val random = new scala.util.Random(7)
    for (escapes <- Seq(2, 10, 1000)) {
      val values = Seq.fill(2000)(Seq.fill(random.nextInt(9))(random.nextInt(escapes)).map {
        case 0 => ("\u00ffx", "x")
        case n => Seq(("\u0000", "lance"), ("\u0001", " "), ("\u0002", "abcdefgh"))(n % 3)
      })
      val codes = values.map(_.map(_._1).mkString)
      val block = new VariableBlock
      codes.map(_.getBytes(ISO_8859_1)).foreach(c => block.append(c, 0, c.length))
      val starts = Variable.blockCompressor(32).compress(block).buffer
      val chunk = rebased(starts, values.size)
      assert(Blocks.strings(decode(symbols, chunk, values.size)) ==
        "first" +: values.map(_.map(_._2).mkString).toVector)
    }
  }

  /** A chunk of any size, of what a block of strings holds. */
  private def rebased(block: Slice, count: Int): Slice = {
    val bytes = block.toArray.drop(8)
    for (i <- 0 to count) LittleEndian.putInt(bytes, 4 * i, LittleEndian.int(bytes, 4 * i) + 4 * (count + 1))
    Slice(bytes)
  }

  test("with the switch off values are copied") {
    val off = table(on = false)
    assert(Blocks.strings(decode(off, chunk(Seq("as it is", "\u0001")), 2)) ==
      Vector("first", "as it is", "\u0001"))
    assert(Blocks.strings(decodeValue(off, "as it is".getBytes)) == Vector("first", "as it is"))
  }

  test("an escape at the very end of a value does not take the next value's byte") {
    val e = intercept[LanceFormatException](decode(symbols, chunk(Seq("\u0000\u00ff", "\u0001")), 2))
    assert(e.getMessage == "an FSST value ends within an escape")
    intercept[LanceFormatException](decodeValue(symbols, Array[Byte](0, -1)))
  }

  test("a code without a symbol is refused") {
    val e = intercept[LanceFormatException](decode(symbols, chunk(Seq("\u0003")), 1))
    assert(e.getMessage == "FSST code 3 is not in the symbol table")
  }

  test("symbol tables of a wrong size, start or symbol length are refused") {
    def message(table: Array[Byte]): String =
      intercept[LanceFormatException](Fsst.miniBlock(table, 32)).getMessage
    assert(message(symbols.take(2311)) == "an FSST symbol table of 2311 bytes; 2312 expected")
    assert(message(symbols.updated(4, 0.toByte)) ==
      "an FSST symbol table starts with 46535300; 46535354 expected")
    assert(message(symbols.updated(8 + 24, 9.toByte)) == "an FSST symbol of 9 bytes; 1 to 8 expected")
    assert(message(symbols.updated(8 + 24, 0.toByte)) == "an FSST symbol of 0 bytes; 1 to 8 expected")
  }

  test("255 symbols are the most that a table can have") {
    val full = table(on = true, Seq.tabulate(255)(i => i.toChar.toString * 2): _*)
    val out = new VariableBlock
    Fsst.perValue(full).decompress(Array(0x41, -2, -1, -1).map(_.toByte), 0, 4, out)
    assert(out.bytes.take(out.byteLength).toSeq == Seq(0x41, 0x41, 0xfe, 0xfe, 0xff).map(_.toByte))
  }

  test("a mini-block page of pylance decodes") {
    val page = Pages.golden("mini_strings_fsst")
    val expected = Vector.tabulate(140)(i => Some(f"$i%03d " + "lance " * 41))
    assert(Pages.decode(page, ValueShape.VariableWidth(32)).strings == expected)
  }

  test("broken codes give as many values, or an error") {
    val good = chunk(Seq("\u0000\u0001\u0002", "", "\u00ffx", "\u0002")).toArray
    for (bad <- Hostile.truncations(good) ++ Hostile.flips(good))
      Hostile.decodesOrRefuses(5)(decode(symbols, Slice(bad), 4).length)
    for (bad <- Hostile.flips(symbols.take(40)))
      Hostile.decodesOrRefuses(5)(decode(bad ++ symbols.drop(40), Slice(good), 4).length)
  }
}
