package io.sparklance.benchmarks.encoding

import java.util.concurrent.TimeUnit

import scala.util.Random

import org.openjdk.jmh.annotations._

import io.sparklance.data.{DataBlock, Fixed32Block, Fixed64Block, ValueShape}
import io.sparklance.encoding.physical.{Flat, General, InlineBitpacking, Rle}
import io.sparklance.encoding.{MiniBlockCompressor, MiniBlockValues}
import io.sparklance.proto.encodings.{BufferCompression, CompressionScheme}

/** Integers of 10 bits, in runs of 4 on average, in each encoding that they may have. A score is for one
  * value.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
class WordsBenchmark {
  @Param(Array("flat", "packed", "runs", "lz4", "zstd"))
  var encoding: String = _

  @Param(Array("32", "64"))
  var bits: Int = _

  private var values: DataBlock = _
  private var compressor: MiniBlockCompressor = _
  private var chunks: Chunks = _

  @Setup
  def prepare(): Unit = {
    values = WordsBenchmark.values(bits)
    compressor = encoding match {
      case "flat" => Flat.compressor(bits)
      case "packed" => InlineBitpacking.compressor(bits)
      case "runs" => Rle.compressor(bits)
      case "lz4" => general(CompressionScheme.COMPRESSION_ALGORITHM_LZ4)
      case "zstd" => general(CompressionScheme.COMPRESSION_ALGORITHM_ZSTD)
    }
    chunks = new Chunks(compressor.compress(values), ValueShape.FixedWidth(bits))
  }

  private def general(scheme: CompressionScheme): MiniBlockCompressor =
    General.compressor(BufferCompression(scheme), Flat.compressor(bits))

  @Benchmark
  @OperationsPerInvocation(Chunks.Values)
  def decode(): DataBlock = chunks.decode()

  @Benchmark
  @OperationsPerInvocation(Chunks.Values)
  def encode(): MiniBlockValues = compressor.compress(values)
}

object WordsBenchmark {
  private def values(bits: Int): DataBlock = {
    val random = new Random(5)
    val words =
      Iterator.continually(Seq.fill(1 + random.nextInt(7))(random.nextInt(1024))).flatten.take(Chunks.Values)
    if (bits == 32) {
      val block = new Fixed32Block
      words.foreach(block.append)
      block
    } else {
      val block = new Fixed64Block
      words.foreach(word => block.append(word.toLong))
      block
    }
  }
}
