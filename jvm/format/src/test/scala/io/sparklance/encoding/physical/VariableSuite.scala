package io.sparklance.encoding.physical

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.LanceFormatException
import io.sparklance.data.{LittleEndian, Slice, VariableBlock}
import io.sparklance.encoding.{BlockValues, MiniBlockValues}
import io.sparklance.testkit.{Blocks, Hostile}

class VariableSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private def decodeChunks(values: MiniBlockValues, offsetBits: Int): VariableBlock = {
    val out = new VariableBlock
    values.chunks.foreach(c => Variable.miniBlock(offsetBits).decompress(c.buffers.toArray, c.values, out))
    out
  }

  private def decodeBlock(buffer: Slice, count: Int, offsetBits: Int): VariableBlock = {
    val out = new VariableBlock
    Variable.block(offsetBits).decompress(buffer, count, out)
    out
  }

  for (bits <- Seq(32, 64); n <- Seq(1, 2, 3, 4, 5, 1023, 1024, 1025, 4095, 4096, 4097, 9000))
    test(s"$n strings with offsets of $bits bits return from chunks") {
      val strings = Vector.tabulate(n)(i => "x" * (i % 7))
      val encoded = Variable.compressor(bits).compress(Blocks.ofStrings(strings))
      assert(Blocks.strings(decodeChunks(encoded, bits)) == strings)
    }

  test("any strings return from chunks and from a block, with either width of offsets") {
    forAll(Gen.listOf(Gen.alphaNumStr), Gen.oneOf(32, 64)) { (strings, bits) =>
      val block = Blocks.ofStrings(strings)
      assert(Blocks.strings(decodeChunks(Variable.compressor(bits).compress(block), bits)) == strings)
      val BlockValues(buffer, encoding) = Variable.blockCompressor(bits).compress(block)
      assert(Blocks.strings(decodeBlock(buffer, strings.length, bits)) == strings)
      assert(encoding == Variable.encoding(bits))
    }
  }

  test(
    "chunks but the last hold a power of two of values, in at most 4096 bytes that are a multiple of the width"
  ) {
    for (bits <- Seq(32, 64); size <- Seq(0, 1, 60, 250)) {
      val chunks = Variable.compressor(bits).compress(Blocks.ofStrings(Vector.fill(5000)("y" * size))).chunks
      assert(chunks.map(_.values).sum == 5000)
      assert(chunks.init.forall(c => Integer.bitCount(c.values) == 1 && c.values >= 2 && c.values <= 4096))
      assert(chunks.forall(c => c.buffers.head.length <= 4096 && c.buffers.head.length % (bits / 8) == 0))
    }
  }

  test("two values make a chunk even when they are longer than chunks should be") {
    val strings = Vector.tabulate(5)(i => i.toString * 5000)
    val encoded = Variable.compressor(32).compress(Blocks.ofStrings(strings))
    assert(encoded.chunks.map(_.values) == Vector(2, 2, 1))
    assert(Blocks.strings(decodeChunks(encoded, 32)) == strings)
  }

  test("values are appended after existing ones") {
    val out = Blocks.ofStrings(Seq("before", ""))
    val chunk = Variable.compressor(32).compress(Blocks.ofStrings(Seq("a", "bb"))).chunks.head
    Variable.miniBlock(32).decompress(chunk.buffers.toArray, 2, out)
    assert(Blocks.strings(out) == Vector("before", "", "a", "bb"))
  }

  test("a block with the old header of one byte is read") {
    val buffer = new Array[Byte](9 + 12 + 3)
    buffer(0) = 32
    Seq(2, 21, 0, 1, 3).zipWithIndex.foreach { case (v, i) => LittleEndian.putInt(buffer, 1 + 4 * i, v) }
    "abb".getBytes.copyToArray(buffer, 21)
    assert(Blocks.strings(decodeBlock(Slice(buffer), 2, 32)) == Vector("a", "bb"))
    val e = intercept[LanceFormatException](decodeBlock(Slice(buffer), 3, 32))
    assert(e.getMessage == "a block of 3 strings claims to hold 2")
  }

  test("offsets that decrease are refused, of either width, at the ends and in the middle") {
    for (bits <- Seq(32, 64); changed <- 0 to 3) {
      val chunk =
        Variable.compressor(bits).compress(Blocks.ofStrings(Seq("aa", "bb", "cc"))).chunks.head.buffers.head
      if (bits == 32) LittleEndian.putInt(chunk.array, 4 * changed, -5)
      else LittleEndian.putLong(chunk.array, 8 * changed, -5)
      val e = intercept[LanceFormatException] {
        Variable.miniBlock(bits).decompress(Array(chunk), 3, new VariableBlock)
      }
      assert(e.getMessage.startsWith("offsets"), e.getMessage)
    }
  }

  test("offsets of other widths are refused") {
    val e = intercept[LanceFormatException](Variable.miniBlock(16))
    assert(e.getMessage == "offsets of 16 bits; 32 or 64 expected")
  }

  test("broken chunks and blocks give as many values, or an error") {
    val strings = Blocks.ofStrings(Seq("alpha", "", "b", "gamma"))
    for (bits <- Seq(32, 64)) {
      val chunk = Variable.compressor(bits).compress(strings).chunks.head.buffers.head.toArray
      val block = Variable.blockCompressor(bits).compress(strings).buffer.toArray
      for (bad <- Hostile.truncations(chunk) ++ Hostile.flips(chunk)) Hostile.decodesOrRefuses(4) {
        val out = new VariableBlock
        Variable.miniBlock(bits).decompress(Array(Slice(bad)), 4, out)
        out.length
      }
      for (bad <- Hostile.truncations(block) ++ Hostile.flips(block))
        Hostile.decodesOrRefuses(4)(decodeBlock(Slice(bad), 4, bits).length)
    }
  }
}
