package io.sparklance.benchmarks.encoding

import java.util.concurrent.TimeUnit

import scala.util.Random

import org.openjdk.jmh.annotations._

import io.sparklance.data.{DataBlock, Fixed32Block, Fixed64Block, FixedBytesBlock, LittleEndian, ValueShape}
import io.sparklance.encoding.physical.{ByteStreamSplit, Flat, General, InlineBitpacking, Rle}
import io.sparklance.encoding.{MiniBlockCompressor, MiniBlockValues}
import io.sparklance.proto.encodings.{BufferCompression, CompressionScheme}

/** The compressed chunks that the writer chooses by itself, whose times `DecodeCost` has: prices of 21 bits
  * (`wide`), below zero as well (`signed`), dates near each other of 32 bits (`split32`), sorted keys of 64
  * (`split64`), and such keys a dozen times each (`runs`). A score is for one value.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
class CompressedBenchmark {
  @Param(Array("wide", "signed", "split32", "split64", "runs"))
  var values: String = _

  @Param(Array("none", "lz4", "zstd1", "zstd3"))
  var codec: String = _

  private var block: DataBlock = _
  private var compressor: MiniBlockCompressor = _
  private var chunks: Chunks = _

  @Setup
  def prepare(): Unit = {
    val (some, shape, inner, plain) = CompressedBenchmark.subject(values)
    block = some
    compressor = codec match {
      case "none" => plain
      case "lz4" => General.compressor(BufferCompression(CompressionScheme.COMPRESSION_ALGORITHM_LZ4), inner)
      case "zstd1" => General.compressor(CompressedBenchmark.Zstd.withLevel(1), inner)
      case "zstd3" => General.compressor(CompressedBenchmark.Zstd, inner)
    }
    chunks = new Chunks(compressor.compress(block), ValueShape.FixedWidth(shape))
  }

  @Benchmark
  @OperationsPerInvocation(Chunks.Values)
  def decode(): DataBlock = chunks.decode()

  @Benchmark
  @OperationsPerInvocation(Chunks.Values)
  def encode(): MiniBlockValues = compressor.compress(block)
}

object CompressedBenchmark {
  private val Zstd = BufferCompression(CompressionScheme.COMPRESSION_ALGORITHM_ZSTD)
  private val ChunkBytes = 16 << 10

  /** The values, their width, what is compressed, and the alternative to it. */
  private def subject(name: String): (DataBlock, Int, MiniBlockCompressor, MiniBlockCompressor) = {
    val random = new Random(5)
    def wide(price: => Long) = {
      val plain = Flat.compressor(128, ChunkBytes)
      (prices(price), 128, plain, plain)
    }
    name match {
      case "wide" => wide(random.nextInt(1 << 21).toLong)
      case "signed" => wide(random.nextInt(1 << 21).toLong - (1 << 20))
      case "split32" =>
        val dates = new Fixed32Block
        (0 until Chunks.Values).foreach(i => dates.append(2450000 + i / 1000 + random.nextInt(90)))
        (dates, 32, ByteStreamSplit.compressor(32, ChunkBytes / 2), InlineBitpacking.compressor(32))
      case "split64" => (
          keys(i => 17L * i),
          64,
          ByteStreamSplit.compressor(64, ChunkBytes / 2),
          InlineBitpacking.compressor(64)
        )
      case "runs" =>
        val few = Vector.fill(Chunks.Values / 12 + 1)(random.nextInt(7200).toLong)
        (keys(i => few(i / 12)), 64, Rle.compressor(64), Rle.compressor(64))
    }
  }

  private def keys(value: Int => Long): Fixed64Block = {
    val block = new Fixed64Block
    (0 until Chunks.Values).foreach(i => block.append(value(i)))
    block
  }

  private def prices(value: => Long): FixedBytesBlock = {
    val block = new FixedBytesBlock(16)
    val _ = block.extend(Chunks.Values)
    (0 until Chunks.Values).foreach { i =>
      val word = value
      LittleEndian.putLong(block.bytes, 16 * i, word)
      LittleEndian.putLong(block.bytes, 16 * i + 8, word >> 63)
    }
    block
  }
}
