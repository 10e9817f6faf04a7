package io.sparklance.encoding.compression

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{DataBlock, Slice, ValueShape}
import io.sparklance.encoding.compression.CompressedChunks.Trial
import io.sparklance.encoding.physical.{ByteStreamSplit, Flat, General, Rle}
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.{
  BufferCompression,
  ByteStreamSplit => Message,
  CompressionScheme,
  CompressiveEncoding
}
import io.sparklance.testkit.Blocks

/** The choice of a compression of chunks, and the bytes of chunks as any writer may make them. */
class CompressedChunksSuite extends AnyFunSuite {
  private val lz4 = BufferCompression(CompressionScheme.COMPRESSION_ALGORITHM_LZ4)
  private val zstd = BufferCompression(CompressionScheme.COMPRESSION_ALGORITHM_ZSTD)

  private def best(
      other: DecodeCost,
      lz4Cost: DecodeCost,
      zstdCost: DecodeCost,
      plainBytes: Double = 16
  ): Option[BufferCompression] =
    CompressedChunks
      .cheapest(Vector(Trial(lz4, lz4Cost), Trial(zstd, zstdCost)), other, plainBytes)
      .map(_.codec)

  test(
    "bytes count first, as long as a value decodes within the time that its plain bytes take from a disk"
  ) {
    val plain = DecodeCost(16, 0.6)
    assert(best(plain, DecodeCost(5.2, 2.6), DecodeCost(3.7, 11)).contains(zstd))
    assert(best(plain, DecodeCost(5.2, 2.6), DecodeCost(3.7, 16.1)).contains(lz4))
    assert(best(plain, DecodeCost(4.0, 2.6), DecodeCost(3.7, 11)).contains(lz4))
  }

  test(
    "a compression is worth its time if it keeps up, and saves a fifth, and a twentieth of the plain bytes"
  ) {
    assert(best(DecodeCost(16, 0.6), DecodeCost(13, 2.6), DecodeCost(12.9, 11)).isEmpty)
    assert(best(DecodeCost(0.6, 0.4), DecodeCost(0.3, 2.2), DecodeCost(0.05, 3.6), 4).contains(zstd))
    assert(best(DecodeCost(0.6, 0.4), DecodeCost(0.3, 2.2), DecodeCost(0.2, 3.6), 4).contains(lz4))
    assert(best(DecodeCost(0.4, 0.4), DecodeCost(0.3, 2.2), DecodeCost(0.25, 3.6), 4).isEmpty)
    assert(best(DecodeCost(0.4, 0.4), DecodeCost(0.33, 2.2), DecodeCost(0.33, 3.6), 4).isEmpty)
    assert(best(DecodeCost(0.4, 0.4), DecodeCost(0.05, 2.2), DecodeCost(0.02, 3.6), 4).contains(lz4))
  }

  private def split(codec: BufferCompression): CompressiveEncoding = {
    val message = Compression.ByteStreamSplit(Message(Some(Flat.encoding(32))))
    General.encoding(codec, CompressiveEncoding(message))
  }

  private def decoded(encoding: CompressiveEncoding, count: Int, buffers: String*): Vector[Any] = {
    val out = DataBlock.forShape(ValueShape.FixedWidth(32))
    val bytes =
      buffers.map(hex => Slice(hex.replace(" ", "").grouped(2).map(Integer.parseInt(_, 16).toByte).toArray))
    Decompressors.miniBlock(encoding, ValueShape.FixedWidth(32)).decompress(bytes.toArray, count, out)
    Blocks.values(out)
  }

  test("chunks of known bytes: split words in LZ4 and zstd, and runs in zstd") {
    val places = "01020304 00000000 00000000 000000ff"
    val values = Vector(1, 2, 3, 0xff000004)
    assert(decoded(split(lz4), 4, "10000000 f001" + places) == values)
    val frame = "1000000000000000 28b52ffd 20 10 810000"
    assert(decoded(split(zstd), 4, frame + places) == values)
    val runs = General.encoding(zstd, Rle.encoding(32))
    val ofRuns = "0800000000000000 28b52ffd 20 08 410000 07000000 09000000"
    assert(decoded(runs, 5, ofRuns, "0203") == Vector(7, 7, 9, 9, 9))
  }

  test("words that a sample promised to be small are packed if they are not") {
    val values = Blocks.words(32, (0 until 5000).map(i => (i * 0x9e3779b97f4a7c15L) >>> 54))
    val chosen =
      CompressedChunks.compressor(zstd, ByteStreamSplit.compressor(32), Flat.compressor(32), size = 100)
    assert(chosen.compress(values).encoding == Flat.encoding(32))
  }
}
