package io.sparklance.encoding.physical

import scala.util.Random

import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Slice, ValueShape, VariableBlock}
import io.sparklance.encoding.compression.Decompressors
import io.sparklance.testkit.Blocks

class FsstEncoderSuite extends AnyFunSuite {
  private val random = new Random(3)

  private def block(values: Iterable[Array[Byte]]): VariableBlock = {
    val block = new VariableBlock
    values.foreach(v => block.append(v, 0, v.length))
    block
  }

  /** Without a byte behind the last value. */
  private def tight(values: VariableBlock): VariableBlock = {
    values.bytes = values.bytes.take(values.byteLength)
    values
  }

  private def roundTrip(symbols: FsstSymbols, values: VariableBlock): Assertion = {
    val codes = new VariableBlock
    (0 until values.length).foreach { i =>
      val out = new Array[Byte](2 * (values.offsets(i + 1) - values.offsets(i)))
      val size = symbols.encode(values.bytes, values.offsets(i), values.offsets(i + 1), out, 0)
      codes.append(out, 0, size)
    }
    val chunk = Variable.compressor(32, Int.MaxValue).compress(codes).chunks
    val out = new VariableBlock
    val decompressor = Fsst.miniBlock(symbols.print, 32)
    chunk.foreach(c => decompressor.decompress(c.buffers.toArray, c.values, out))
    assert(Blocks.values(out) == Blocks.values(values))
  }

  test("a symbol is not taken where a value ends within it, and the longest one is taken") {
    def word(text: String): Long = FsstSymbols.word(text.getBytes, 0, text.length)
    val texts = Array("a", "ab", "abc", "abcdefgh", "abd", "zz", "\u0001")
    val symbols = new FsstSymbols(texts.map(word), texts.map(_.length))
    def codes(text: String): Seq[Int] = {
      val out = new Array[Byte](2 * text.length)
      val end = symbols.encode(text.getBytes, 0, text.length, out, 0)
      out.take(end).toSeq.map(_ & 0xff)
    }
    assert(codes("abcdefgh") == Seq(3))
    assert(codes("abcdefg") == Seq(2, 255, 'd', 255, 'e', 255, 'f', 255, 'g'))
    assert(codes("abdaba") == Seq(4, 1, 0))
    assert(codes("zz\u0001z") == Seq(5, 6, 255, 'z'))
    assert(codes("") == Seq.empty)
  }

  test("a value that ends where a symbol goes on with zeroes is not taken for it") {
    val symbols = new FsstSymbols(Array(0x616161L, 0x61L), Array(6, 1))
    roundTrip(
      symbols,
      tight(block(Seq("aaa", "aaa\u0000\u0000", "aaa\u0000\u0000\u0000", "a").map(_.getBytes)))
    )
  }

  for (
    (name, values) <- Seq[(String, Seq[Array[Byte]])](
      "words" -> Seq.fill(3000)(s"carefully final ${random.nextInt(100)} deposits ".getBytes),
      "bytes of all kinds" -> Seq.fill(2000)(Array.fill(random.nextInt(30))(random.nextInt().toByte)),
      "zeroes" -> Seq.tabulate(500)(i => new Array[Byte](i % 40)),
      "one byte each" -> Seq.tabulate(5000)(i => Array((i % 7).toByte)),
      "nothing" -> Seq.fill(100)(Array.emptyByteArray),
      "long values" -> Seq.fill(20)((s"${random.nextInt()} and so on " * 300).getBytes)
    )
  ) test(s"symbols that were found for $name encode them so that they return") {
    val strings = tight(block(values))
    val symbols = FsstTraining.symbolsFor(FsstTraining.sampleOf(strings))
    assert(symbols.words.length <= 255)
    roundTrip(symbols, strings)
  }

  test("text gets less than half as long") {
    val words = Vector("furiously", "slyly", "deposits", "accounts", "the", "ironic", "requests", "foxes")
    val texts = Seq.fill(3000)(Seq.fill(5)(words(random.nextInt(words.size))).mkString(" "))
    val strings = Blocks.ofStrings(texts)
    val encoded = FsstEncoder.of(strings, 60, 32).get.compressor(32, 4096).compress(strings)
    assert(encoded.chunks.map(_.buffers.head.length).sum < (strings.byteLength + 4 * strings.length) / 2)
    val out = new VariableBlock
    val decompressor = Decompressors.miniBlock(encoded.encoding, ValueShape.VariableWidth(32))
    encoded.chunks.foreach(c => decompressor.decompress(c.buffers.toArray, c.values, out))
    assert(Blocks.strings(out) == texts.toVector)
  }

  test("values one by one return") {
    val texts = Vector.fill(200)(s"a longer text with the number ${random.nextInt(99)} in it, " * 10)
    val strings = Blocks.ofStrings(texts)
    val encoded = FsstEncoder.of(strings, 600, 64).get.perValueCompressor(64).compress(strings)
    val decompressor = Decompressors.perValue(encoded.encoding, ValueShape.VariableWidth(64))
    val out = new VariableBlock
    texts.indices.foreach { i =>
      val from = encoded.strings.offsets(i)
      val value = Slice(encoded.strings.bytes, from, encoded.strings.offsets(i + 1) - from)
      decompressor.decompress(value.array, value.offset, value.length, out)
    }
    assert(Blocks.strings(out) == texts)
  }

  test("few, short or random bytes are left alone") {
    assert(FsstEncoder.of(Blocks.ofStrings(Seq.fill(100)("some words of text")), 18, 32).isEmpty)
    assert(FsstEncoder.of(Blocks.ofStrings(Seq.fill(20000)("abcd")), 4, 32).isEmpty)
    val noise = block(Seq.fill(1000)(Array.fill(100)(random.nextInt().toByte)))
    assert(FsstEncoder.of(noise, 100, 32).isEmpty)
  }
}
