package io.sparklance.encoding.physical

import com.github.luben.zstd.Zstd
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Fixed32Block, LittleEndian, Slice, ValueShape, VariableBlock}
import io.sparklance.encoding.PerValueStrings
import io.sparklance.encoding.compression.Decompressors
import io.sparklance.proto.encodings.{BufferCompression, CompressionScheme}
import io.sparklance.testkit.{Blocks, Hostile, Pages}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

class GeneralSuite extends AnyFunSuite {
  private val zstd = BufferCompression(CompressionScheme.COMPRESSION_ALGORITHM_ZSTD)
  private val lz4 = BufferCompression(CompressionScheme.COMPRESSION_ALGORITHM_LZ4)
  private val int32 = ValueShape.FixedWidth(32)
  private val numbers = Vector.tabulate(4000)(_ % 13)

  private def ints(scheme: BufferCompression, framed: Array[Byte], count: Int): Fixed32Block = {
    val out = new Fixed32Block
    General.block(Some(scheme), Flat.decompressor(32), int32).decompress(Slice(framed), count, out)
    out
  }

  private def refusal(scheme: BufferCompression, framed: Array[Byte]): String =
    intercept[LanceFormatException](ints(scheme, framed, 1)).getMessage

  for (scheme <- Seq(zstd, lz4)) {
    val name = scheme.scheme.name

    test(s"$name: a block returns, smaller") {
      val block = General.blockCompressor(scheme, Flat.blockCompressor(32)).compress(Blocks.ofInts(numbers))
      assert(block.buffer.length < 1000)
      assert(block.encoding == General.encoding(scheme, Flat.encoding(32)))
      assert(Blocks.ints(ints(scheme, block.buffer.toArray, 4000)) == numbers)
    }

    test(s"$name: a block that would not shrink stays as it is") {
      val block = General.blockCompressor(scheme, Flat.blockCompressor(32)).compress(Blocks.ofInts(Seq(1)))
      assert(block.encoding == Flat.encoding(32) && block.buffer.length == 4)
    }

    test(s"$name: chunks return, smaller") {
      val strings = Vector.tabulate(500)(i => s"number $i of many")
      val values = General.compressor(scheme, Variable.compressor(32)).compress(Blocks.ofStrings(strings))
      val out = new VariableBlock
      val decompressor = Decompressors.miniBlock(values.encoding, ValueShape.VariableWidth(32))
      values.chunks.foreach(c => decompressor.decompress(c.buffers.toArray, c.values, out))
      assert(Blocks.strings(out) == strings)
      assert(values.encoding == General.encoding(scheme, Variable.encoding(32)))
    }

    test(s"$name: each value returns for itself, the empty one too") {
      val strings = Seq("", "a", "b" * 1000)
      val PerValueStrings(compressed, encoding) =
        General.perValueCompressor(
          scheme,
          Variable.perValueCompressor(32)
        ).compress(Blocks.ofStrings(strings))
      assert(encoding == General.encoding(scheme, Variable.encoding(32)))
      val out = new VariableBlock
      for (i <- strings.indices) {
        val from = compressed.offsets(i)
        General.perValue(Some(scheme)).decompress(
          compressed.bytes,
          from,
          compressed.offsets(i + 1) - from,
          out
        )
      }
      assert(Blocks.strings(out) == strings)
    }

    test(s"$name: nothing decompresses to nothing") {
      assert(ints(scheme, Array.emptyByteArray, 0).length == 0)
    }

    test(s"$name: compression within compression does not confuse its buffers") {
      val once = General.blockCompressor(scheme, Flat.blockCompressor(32))
      val twice = General.blockCompressor(scheme, once).compress(Blocks.ofInts(Vector.fill(20000)(7)))
      val out = new Fixed32Block
      // The second pass may find nothing to gain; then the block is compressed once.
      Decompressors.block(twice.encoding, ValueShape.FixedWidth(32)).decompress(twice.buffer, 20000, out)
      assert(Blocks.ints(out) == Vector.fill(20000)(7))
      val framed = BlockCodec.of(Some(scheme)).compress(twice.buffer.toArray, 0, twice.buffer.length)
      val outer = General.block(Some(scheme), Decompressors.block(twice.encoding, int32), int32)
      outer.decompress(framed, 20000, out)
      assert(Blocks.ints(out) == Vector.fill(40000)(7))
    }

    test(s"$name: a value that is announced as empty, but is not, is refused") {
      val framed = BlockCodec.of(Some(scheme)).compress("value".getBytes, 0, 5).toArray.updated(0, 0.toByte)
      intercept[LanceFormatException] {
        General.perValue(Some(scheme)).decompress(framed, 0, framed.length, new VariableBlock)
      }
    }

    test(s"$name: broken bytes give as many values, or an error") {
      val good = BlockCodec.of(Some(scheme)).compress(new Array[Byte](400), 0, 400).toArray
      for (bad <- Hostile.truncations(good) ++ Hostile.flips(good))
        Hostile.decodesOrRefuses(100)(ints(scheme, bad, 100).length)
    }
  }

  test("zstd: a size that cannot be is refused before it is allocated") {
    val frame = Zstd.compress(new Array[Byte](4))
    def announced(size: Long): Array[Byte] = {
      val prefix = new Array[Byte](8)
      LittleEndian.putLong(prefix, 0, size)
      prefix ++ frame
    }
    assert(Blocks.ints(ints(zstd, announced(4), 1)) == Vector(0))
    assert(refusal(zstd, announced(1L << 40)) == s"a zstd frame of 4 bytes is announced as ${1L << 40}")
    // A frame without content size in its head: magic, descriptor, window, empty last block.
    val silent = Array(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x01, 0x00, 0x00).map(_.toByte)
    val lying = announced(1L << 40).take(8) ++ silent
    assert(refusal(zstd, lying) == s"9 compressed bytes claim to hold ${1L << 40}")
    assert(refusal(zstd, announced(-1).take(8) ++ silent) == "9 compressed bytes claim to hold -1")
  }

  /** Magic, descriptor without a size, window, one block of `n` raw bytes for each of `blocks`. */
  private def silentFrame(blocks: Int, n: Int): Array[Byte] = {
    val raw = Array.tabulate(blocks) { i =>
      val header = n << 3 | (if (i == blocks - 1) 1 else 0)
      Array(header.toByte, (header >> 8).toByte, (header >> 16).toByte) ++ new Array[Byte](n)
    }
    Array(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58).map(_.toByte) ++ raw.flatten
  }

  private def prefixed(size: Long, frame: Array[Byte]): Array[Byte] = {
    val prefix = new Array[Byte](8)
    LittleEndian.putLong(prefix, 0, size)
    prefix ++ frame
  }

  test("a size beyond what the wanted values can take is refused, even if the codec could do it") {
    val mebibyte = 1 << 20
    val honest = Zstd.compress(new Array[Byte](mebibyte))
    assert(
      refusal(zstd, prefixed(mebibyte.toLong, honest)) ==
        s"${honest.length} compressed bytes claim to hold $mebibyte where 5184 are the most"
    )
    val raised =
      refusal(lz4, BlockCodec.of(Some(lz4)).compress(new Array[Byte](mebibyte), 0, mebibyte).toArray)
    assert(raised.endsWith(s"claim to hold $mebibyte where 5184 are the most"))
    val text = ValueShape.VariableWidth(32)
    val strings = General.block(Some(zstd), Variable.block(32), text)
    val huge = prefixed(300L << 20, silentFrame(1, 20000))
    val e = intercept[LanceFormatException](strings.decompress(Slice(huge), 1, new VariableBlock))
    assert(e.getMessage ==
      s"20009 compressed bytes claim to hold ${300L << 20} where ${256L << 20} are the most")
  }

  test("zstd: a large value whose frame does not record its size is measured before it is believed") {
    val size = 65L << 20
    val frame = silentFrame(1, 4000)
    val value = prefixed(size, frame)
    val e = intercept[LanceFormatException](
      General.perValue(Some(zstd)).decompress(value, 0, value.length, new VariableBlock)
    )
    assert(e.getMessage == s"a zstd frame does not hold the $size bytes that are announced")
    val broken = prefixed(size, frame.updated(6, 7.toByte))
    intercept[LanceFormatException](
      General.perValue(Some(zstd)).decompress(broken, 0, broken.length, new VariableBlock)
    )
    val small = prefixed(8000, silentFrame(2, 4000))
    val out = new VariableBlock
    General.perValue(Some(zstd)).decompress(small, 0, small.length, out)
    assert(out.byteLength == 8000)
  }

  test("LZ4: a size that cannot be is refused before it is allocated") {
    val framed = Array(0xff, 0xff, 0xff, 0x7f, 0x10, 0x00).map(_.toByte)
    assert(refusal(lz4, framed) == s"2 compressed bytes claim to hold ${Int.MaxValue}")
  }

  test("zstd: a frame without the size in front is read, if it tells its size") {
    assert(Blocks.ints(ints(zstd, Zstd.compress(Array[Byte](1, 0, 0, 0)), 1)) == Vector(1))
  }

  test("zstd: a frame that is alone and does not record its size is refused by name") {
    val silent = Array(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x01, 0x00, 0x00).map(_.toByte)
    val e = intercept[UnsupportedLanceFeatureException](ints(zstd, silent, 0))
    assert(e.feature == "a zstd frame that does not record its size")
  }

  test("a compression that does not name its scheme is refused") {
    val e = intercept[LanceFormatException](General.perValue(None))
    assert(e.getMessage == "general compression does not name its scheme")
  }

  for (scheme <- Seq("zstd", "lz4"))
    test(s"a mini-block page of pylance decodes: $scheme") {
      val expected = Vector.tabulate(200)(i => Some(s"item ${i % 10} of a list that compresses $i"))
      assert(Pages.decode(Pages.golden(s"mini_strings_$scheme"), ValueShape.VariableWidth(32)).strings ==
        expected)
    }

  for ((name, bits) <- Seq("dictionary" -> 32, "dictionary_lz4" -> 32, "dictionary_64" -> 64))
    test(s"the dictionary of a page of pylance decodes: $name") {
      val page = Pages.golden(name)
      val layout = page.layout.getMiniBlockLayout
      val out = new VariableBlock
      val count = layout.numDictionaryItems.toInt
      Decompressors
        .block(layout.getDictionary, ValueShape.VariableWidth(bits))
        .decompress(page.buffers(2), count, out)
      assert(Blocks.strings(out) == Vector.tabulate(5)(i => s"colour $i"))
    }
}
