package io.sparklance.encoding.physical

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException
import io.sparklance.data.{Slice, ValueShape}
import io.sparklance.proto.encodings.{OutOfLineBitpacking => Message}

class OutOfLineBitpackingSuite extends AnyFunSuite with WordEncodingBehaviour {

  for (bits <- Seq(8, 16, 32, 64))
    test(s"blocks of $bits-bit words come back in every width and size") {
      for (width <- 0 to bits; count <- sizes) {
        val values = someWords(bits, width, count)
        val compressed = OutOfLineBitpacking.compressor(bits, width).compress(values).buffer
        val back = decode(OutOfLineBitpacking.decompressor(bits, width), compressed, count, bits)
        assert(back == io.sparklance.testkit.Blocks.values(values), s"$count values of width $width")
      }
    }

  test("the tail is packed only if that makes it shorter") {
    def size(count: Int): Int =
      OutOfLineBitpacking.compressor(16, 1).compress(someWords(16, 1, count)).buffer.length
    assert(Seq(1, 63, 64, 65, 1024, 1025).map(size) == Seq(2, 126, 128, 128, 128, 130))
  }

  test("the message says how wide the packed values are") {
    val compressed = OutOfLineBitpacking.compressor(16, 3).compress(someWords(16, 3, 2000))
    val message = compressed.encoding.compression.outOfLineBitpacking.get
    val decompressor = OutOfLineBitpacking.decompressor(message, ValueShape.FixedWidth(16))
    assert(decode(decompressor, compressed.buffer, 2000, 16).length == 2000)
  }

  test("a packed width beyond that of the words is refused") {
    val message = Message(16, Some(Flat.encoding(17)))
    val error = intercept[LanceFormatException] {
      OutOfLineBitpacking.decompressor(message, ValueShape.FixedWidth(16))
    }
    assert(error.getMessage.startsWith("values of 16 bits bit-packed as Flat("))
  }

  test("a block that is neither of the two lengths is refused") {
    for (count <- Seq(10, 1000, 1034)) {
      val values = someWords(16, 2, count)
      val buffer = OutOfLineBitpacking.compressor(16, 2).compress(values).buffer
      val either = Set((count / 1024) * 256 + count % 1024 * 2, (count + 1023) / 1024 * 256)
      (0 to 3000).filterNot(either).foreach { length =>
        val other = Slice(java.util.Arrays.copyOf(buffer.toArray, length))
        intercept[LanceFormatException](decode(OutOfLineBitpacking.decompressor(16, 2), other, count, 16))
      }
    }
  }

  test("values without bits are bounded, as they take no bytes") {
    val error = intercept[LanceFormatException] {
      decode(OutOfLineBitpacking.decompressor(64, 0), Slice.Empty, Int.MaxValue, 64)
    }
    assert(error.getMessage == "2147483647 values packed into 0 bits")
  }
}
