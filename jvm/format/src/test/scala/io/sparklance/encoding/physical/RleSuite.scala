package io.sparklance.encoding.physical

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.ValueShape
import io.sparklance.proto.encodings.{Rle => Message}
import io.sparklance.testkit.{Blocks, Hex}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

class RleSuite extends AnyFunSuite with WordEncodingBehaviour {

  for (bits <- Seq(8, 16, 32, 64)) {
    test(s"runs of $bits-bit words come back from chunks of every size") {
      sizes.foreach { n =>
        assertRoundTrip(someWords(bits, bits, n), bits, Rle.compressor(bits), Rle.miniBlock(bits))
      }
    }

    test(s"runs of $bits-bit words come back from a block") {
      sizes.foreach { n =>
        val values = someWords(bits, 2, n)
        val compressed = Rle.blockCompressor(bits).compress(values)
        assert(decode(Rle.block(bits), compressed.buffer, n, bits) == Blocks.values(values))
      }
    }

    test(s"a block of $bits-bit words that was cut anywhere, or grew, is refused") {
      val compressed = Rle.blockCompressor(bits).compress(someWords(bits, 2, 40)).buffer
      assertLengthIsChecked(Rle.block(bits), compressed, 40, bits)
    }
  }

  test("a run of more than 255 values is several") {
    val chunk = Rle.compressor(16).compress(Blocks.words(16, Seq.fill(256)(3L) :+ 4L)).chunks.head
    assert(chunk.buffers.map(Hex.of) == Vector("030003000400", "ff0101"))
  }

  test("a block starts with the size of its values") {
    val block = Rle.blockCompressor(16).compress(Blocks.words(16, Seq(0L, 0L, 1L)))
    assert(Hex.of(block.buffer) == "0400000000000000" + "00000100" + "0201")
  }

  test("chunks have as many values as their runs leave room for") {
    val values = Blocks.words(64, (0 until 4096).map(_ / 4L) ++ (4096L until 6000L))
    val chunks = Rle.compressor(64).compress(values).chunks
    assert(chunks.map(_.values) == Vector(2048, 2048, 512, 512, 880))
    assert(chunks.map(_.buffers(1).length) == Vector(512, 512, 512, 512, 880))
    assert(Rle.encodedSize(values, 64, Long.MaxValue) == chunks.flatMap(_.buffers).map(_.length).sum)
    assertRoundTrip(values, 64, Rle.compressor(64), Rle.miniBlock(64))
  }

  test("the size is known before anything is encoded") {
    val values = someWords(32, 3, 5000)
    val written = Rle.compressor(32).compress(values).chunks.flatMap(_.buffers).map(_.length).sum
    assert(Rle.encodedSize(values, 32, Long.MaxValue) == written)
  }

  private def decodeChunk(values: String, lengths: String, count: Int): Vector[Any] = {
    val out = blockOf(8)
    Rle.miniBlock(8).decompress(Array(Hex.slice(values), Hex.slice(lengths)), count, out)
    Blocks.values(out)
  }

  test("the last run of a chunk may go beyond it, as old writers let it; that of a block may not") {
    assert(decodeChunk("0102", "0209", 3) == Vector(1, 1, 2))
    val error = intercept[LanceFormatException] {
      decode(Rle.block(8), Hex.slice("0200000000000000" + "0102" + "0209"), 3, 8)
    }
    assert(error.getMessage == "runs of 11 values in a block of 3")
  }

  test("runs that are too few, empty, or of another number than their values are refused") {
    def refusal(values: String, lengths: String): String =
      intercept[LanceFormatException](decodeChunk(values, lengths, 4)).getMessage
    assert(refusal("0102", "0201") == "runs of 3 values in a chunk of 4")
    assert(refusal("0102", "0400") == "a run of length 0")
    assert(refusal("01", "0202") == "2 runs of 8 bits with 1 bytes of values")
  }

  test("a block whose size of values is absurd is refused") {
    Seq("ffffffffffffffff", "ffffffffffffff7f", "0300000000000000").foreach { size =>
      intercept[LanceFormatException](decode(Rle.block(8), Hex.slice(size + "0102" + "0202"), 4, 8))
    }
  }

  test("runs that are compressed in turn are named as unsupported") {
    val message = Message(Some(Flat.encoding(32)), Some(InlineBitpacking.encoding(8)))
    val error = intercept[UnsupportedLanceFeatureException](Rle.miniBlock(message, ValueShape.FixedWidth(32)))
    assert(error.feature == "run-length encoding with compressed runs")
  }
}
