package io.sparklance.encoding.physical

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{DataBlock, FixedBlock, Slice, ValueShape}
import io.sparklance.testkit.Blocks

class FastLanesSuite extends AnyFunSuite {

  test("packs (7 * i) mod 2^W into the words that pylance packs it into") {
    // Read off files of pylance 14.0.2, or packed by a prototype whose files pylance reads.
    assert(words(8, 3).map(_ & 0xff) == Seq(0x00, 0xff, 0xb6, 0x6d))
    assert(words(16, 5).map(_ & 0xffff) == Seq(0x0000, 0x9ce7, 0x39ce, 0xd6b5))
    assert(words(32, 3).map(_.toInt) == Seq(0, 0xffffffff, 0xb6db6db6, 0x6db6db6d))
    assert(
      words(64, 11) == Seq(0xc0600501c01c0000L, 0xc3e0750fc1dc3807L, 0xc760e51dc39c700eL, 0xcae1552bc55ca815L)
    )
  }

  /** The first four. */
  private def words(bits: Int, width: Int): Seq[Long] = {
    val values = Blocks.words(bits, (0L until 1024L).map(_ * 7 % (1L << width)))
    val packed = new Array[Byte](FastLanes.packedBytes(width))
    FastLanes.pack(width, values, 0, 1024, packed, 0)
    val out = DataBlock.forShape(ValueShape.FixedWidth(bits))
    Flat.decompressor(bits).decompress(Slice(packed, 0, bits / 2), 4, out)
    Blocks.values(out).map(_.asInstanceOf[Long])
  }

  for (bits <- Seq(8, 16, 32, 64))
    test(s"unpacks what it packed, for words of $bits bits and every width, anywhere in an array") {
      val random = new scala.util.Random(bits)
      for (width <- 0 to bits) {
        val mask = if (width == 0) 0L else -1L >>> 64 - width
        val values = Blocks.words(bits, Seq.fill(1100)(random.nextLong() & mask))
        val packed = new Array[Byte](13 + FastLanes.packedBytes(width))
        FastLanes.pack(width, values, 50, 1024, packed, 13)
        val out = DataBlock.forShape(ValueShape.FixedWidth(bits)).asInstanceOf[FixedBlock]
        val at = { out.extend(5); out.extend(1024) }
        FastLanes.unpack(width, packed, 13, out, at)
        assert(Blocks.values(out).drop(5) == Blocks.values(values).slice(50, 1074), s"width $width")
      }
    }

  test("a width is that of the widest value, taken as unsigned") {
    assert(FastLanes.widthOf(Blocks.words(8, Seq(0L, 0L)), 0, 2) == 0)
    assert(FastLanes.widthOf(Blocks.words(16, Seq(8L, 1L)), 0, 2) == 4)
    assert(FastLanes.widthOf(Blocks.words(32, Seq(255L, 7L, 256L)), 0, 2) == 8)
    assert(FastLanes.widthOf(Blocks.words(32, Seq(-1L)), 0, 1) == 32)
    assert(FastLanes.widthOf(Blocks.words(64, Seq(-1L)), 0, 1) == 64)
  }
}
