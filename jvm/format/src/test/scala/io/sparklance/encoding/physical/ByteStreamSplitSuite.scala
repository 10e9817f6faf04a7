package io.sparklance.encoding.physical

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Slice, ValueShape}
import io.sparklance.testkit.Blocks

class ByteStreamSplitSuite extends AnyFunSuite with WordEncodingBehaviour {

  private def split(bytes: Array[Byte], width: Int): Slice =
    Slice((0 until width).flatMap(place => bytes.grouped(width).map(_(place))).toArray)

  for (bits <- Seq(32, 64)) {
    test(s"values of $bits bits are put together from their bytes") {
      Seq(1, 2, 511, 512, 1024).foreach { n =>
        val values = someWords(bits, bits, n)
        val buffer = split(Flat.bytes(values, bits, 0, n).toArray, bits / 8)
        assert(decode(ByteStreamSplit.decompressor(bits), buffer, n, bits) == Blocks.values(values))
      }
    }

    test(s"a buffer that is not as long as its values of $bits bits is refused") {
      assertLengthIsChecked(ByteStreamSplit.decompressor(bits), Slice(new Array[Byte](3 * bits / 8)), 3, bits)
    }
  }

  test("values behind others do not disturb them") {
    val out = Blocks.words(64, Seq(5L))
    ByteStreamSplit.decompressor(64).decompress(split(Array.tabulate[Byte](16)(_.toByte), 8), 2, out)
    assert(Blocks.values(out) == Vector(5L, 0x0706050403020100L, 0x0f0e0d0c0b0a0908L))
  }

  test("the values' width must be the column's") {
    val message = io.sparklance.proto.encodings.ByteStreamSplit(Some(Flat.encoding(32)))
    val error = intercept[io.sparklance.LanceFormatException] {
      ByteStreamSplit.decompressor(message, ValueShape.FixedWidth(64))
    }
    assert(error.getMessage == "byte stream split values of 32 bits in a column of FixedWidth(64)")
  }
}
