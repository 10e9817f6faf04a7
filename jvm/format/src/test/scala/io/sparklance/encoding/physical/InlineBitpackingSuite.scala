package io.sparklance.encoding.physical

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException
import io.sparklance.data.Slice
import io.sparklance.encoding.MiniBlockDecompressor
import io.sparklance.testkit.{Blocks, Hex}

class InlineBitpackingSuite extends AnyFunSuite with WordEncodingBehaviour {

  for (bits <- Seq(8, 16, 32, 64)) {
    val decompressor = MiniBlockDecompressor.ofOneBuffer(InlineBitpacking.decompressor(bits))

    test(s"words of $bits bits come back from chunks of every width") {
      for (width <- 0 to bits)
        assertRoundTrip(someWords(bits, width, 1500), bits, InlineBitpacking.compressor(bits), decompressor)
    }

    test(s"words of $bits bits come back from chunks of every size") {
      sizes.foreach { n =>
        assertRoundTrip(someWords(bits, bits / 2, n), bits, InlineBitpacking.compressor(bits), decompressor)
      }
    }

    test(s"a buffer of $bits-bit words that is not as long as its width says is refused") {
      val chunk = InlineBitpacking.compressor(bits).compress(someWords(bits, 1, 10)).chunks.head.buffers.head
      assertLengthIsChecked(InlineBitpacking.decompressor(bits), chunk, 10, bits)
    }
  }

  test("zeroes are packed into no bits at all: only the header is left") {
    val chunks = InlineBitpacking.compressor(32).compress(Blocks.words(32, Seq.fill(1030)(0L))).chunks
    assert(chunks.map(c => (c.values, Hex.of(c.buffers.head))) == Vector((1024, "00000000"), (6, "00000000")))
  }

  test("the size is known before anything is packed") {
    val values = someWords(32, 9, 1500)
    val written = InlineBitpacking.compressor(32).compress(values).chunks.map(_.buffers.head.length).sum
    assert(InlineBitpacking.packedSize(values, 32) == written)
  }

  test("a width beyond that of the words is refused, also one that is not even a number") {
    def refuse(header: String, bits: Int, says: String): Unit = {
      val buffer = Slice(Hex.slice(header).toArray ++ new Array[Byte](128 * 65))
      val error =
        intercept[LanceFormatException](decode(InlineBitpacking.decompressor(bits), buffer, 10, bits))
      assert(error.getMessage == s"values of $bits bits packed into $says")
      ()
    }
    refuse("09", 8, "9")
    refuse("1100", 16, "17")
    refuse("21000000", 32, "33")
    refuse("ffffffff", 32, "-1")
    refuse("4100000000000000", 64, "65")
    refuse("0000000000000080", 64, "-1")
  }

  test("no buffer holds more than one group") {
    val error = intercept[LanceFormatException] {
      decode(InlineBitpacking.decompressor(32), Hex.slice("00000000"), 1025, 32)
    }
    assert(error.getMessage == "1025 values in one bit-packed group")
  }
}
