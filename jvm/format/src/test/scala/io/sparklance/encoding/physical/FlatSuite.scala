package io.sparklance.encoding.physical

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException
import io.sparklance.data.ValueShape
import io.sparklance.encoding.MiniBlockDecompressor
import io.sparklance.proto.encodings.{Flat => FlatMessage}
import io.sparklance.testkit.{Blocks, Hex}

class FlatSuite extends AnyFunSuite with WordEncodingBehaviour {

  for (bits <- Seq(1, 8, 16, 32, 64))
    test(s"values of $bits bits come back from chunks of every size") {
      val decompressor = MiniBlockDecompressor.ofOneBuffer(Flat.decompressor(bits))
      sizes.foreach(n => assertRoundTrip(someWords(bits, bits, n), bits, Flat.compressor(bits), decompressor))
    }

  test("values wider than a word come back") {
    val decompressor = MiniBlockDecompressor.ofOneBuffer(Flat.decompressor(128))
    val rows = (1 to 1000).map(i => Some(Seq.tabulate(16)(k => (i * k).toByte)))
    val block = Blocks.column(ValueShape.FixedWidth(128), rows).values
    assertRoundTrip(block, 128, Flat.compressor(128), decompressor)
    assert(Flat.compressor(128).compress(block).chunks.map(_.values) == Vector(256, 256, 256, 232))
  }

  test("booleans are bits, the lowest first") {
    val bytes = Flat.bytes(Blocks.words(1, Seq(1L, 0L, 0L, 0L, 0L, 0L, 0L, 1L, 1L, 1L)), 1, 0, 10)
    assert(Hex.of(bytes) == "8103")
    assert(decode(Flat.decompressor(1), Hex.slice("8103"), 10, 1) == Vector(1, 0, 0, 0, 0, 0, 0, 1, 1, 1))
    for (bit <- 0 to 7)
      assert(decode(Flat.decompressor(1), Hex.slice(f"${1 << bit}%02x"), 8, 1).zipWithIndex.forall {
        case (v, i) =>
          v == (if (i == bit) 1L else 0L)
      })
  }

  test("numbers are little-endian") {
    assert(Hex.of(Flat.bytes(Blocks.words(32, Seq(1L, -2L, 7L)), 32, 0, 2)) == "01000000feffffff")
  }

  test("a buffer that is not exactly as long as its values is refused") {
    Seq(1, 8, 16, 32, 64, 128).foreach { bits =>
      val block = blockOf(bits)
      block.appendSlots(9)
      assertLengthIsChecked(Flat.decompressor(bits), Flat.bytes(block, bits, 0, 9), 9, bits)
    }
  }

  test("a width that is not the column's is refused") {
    val error = intercept[LanceFormatException] {
      Flat.decompressor(FlatMessage(bitsPerValue = 32), ValueShape.FixedWidth(64))
    }
    assert(error.getMessage == "flat values of 32 bits in a column of FixedWidth(64)")
  }
}
