package io.sparklance.encoding.compression

import io.sparklance.data.{BlockRange, DataBlock}
import io.sparklance.encoding.compression.DecodeCost.Form
import io.sparklance.encoding.physical.General
import io.sparklance.encoding.{MiniBlockChunk, MiniBlockCompressor, MiniBlockValues}
import io.sparklance.proto.encodings.{BufferCompression, CompressionScheme}

/** Chunks that the writer compresses by itself, each alone, so that a row takes the bytes of one chunk. A
  * sample of the page's chunks decides whether and how, by [[DecodeCost]].
  */
private[compression] object CompressedChunks {

  final private val Samples = 4

  /** About the bytes of a chunk's header, its padding and its word. */
  final private val HeaderBytes = 24

  val Lz4: BufferCompression = BufferCompression(CompressionScheme.COMPRESSION_ALGORITHM_LZ4)
  val Zstd: BufferCompression = BufferCompression(CompressionScheme.COMPRESSION_ALGORITHM_ZSTD)

  /** zstd at the level that is smaller for some data, and larger for other. */
  private val FastZstd = Zstd.withLevel(1)
  val Codecs: Vector[BufferCompression] = Vector(Lz4, FastZstd, Zstd)

  /** Bytes and time of a value, with a codec around the chunks of an encoding. */
  final case class Trial(codec: BufferCompression, cost: DecodeCost) {
    def isLz4: Boolean = codec == Lz4
  }

  /** @param nanos of decoding a value */
  final case class Forms(lz4: Form, zstd: Form, nanos: Form => Double) {
    def of(codec: BufferCompression): Double = nanos(if (codec == Lz4) lz4 else zstd)
  }

  /** Tries each codec around `inner`, on chunks from all over the page. */
  def trials(values: DataBlock, inner: MiniBlockCompressor, perChunk: Int, forms: Forms): Vector[Trial] = {
    val sample = new Sample(values, inner, perChunk)
    Codecs.map(codec => Trial(codec, DecodeCost(sample.size(codec) / sample.count, forms.of(codec))))
  }

  /** Bytes of a value, by a sample, with `codec` around the chunks of `inner`. */
  def bytesOfSample(
      values: DataBlock,
      inner: MiniBlockCompressor,
      perChunk: Int,
      codec: BufferCompression
  ): Double = {
    val sample = new Sample(values, inner, perChunk)
    (sample.size(codec) + HeaderBytes * sample.chunks.size) / sample.count
  }

  /** Chunks from all over the page. */
  final private class Sample(values: DataBlock, inner: MiniBlockCompressor, perChunk: Int) {
    val chunks: Vector[MiniBlockChunk] = samples(values, perChunk).flatMap(inner.compress(_).chunks)
    val count: Double = math.max(1, chunks.map(_.values).sum).toDouble
    private val rest = chunks.flatMap(_.buffers.tail).map(_.length.toLong).sum

    /** Bytes with `codec` around the first buffer of each. */
    def size(codec: BufferCompression): Long =
      chunks.map(chunk => General.compressedSize(codec, chunk.buffers.head)).sum + rest
  }

  /** Returns the smallest of these, if one is worth it: a slower one must be much smaller than a faster one.
    *
    * @param other
    *   the cost of a value without it
    * @param plainBytes
    *   bytes of a plain value
    */
  def cheapest(trials: Vector[Trial], other: DecodeCost, plainBytes: Double): Option[Trial] =
    trials
      .filter(trial => trial.cost.isMuchSmaller(other) && trial.cost.isWorth(other, plainBytes))
      .filter(_.cost.keepsUp(plainBytes))
      .sortBy(trial => (trial.cost.nanos, trial.cost.bytes))
      .foldLeft(Option.empty[Trial]) { (best, trial) =>
        if (best.forall(faster => trial.cost.isWorth(faster.cost, plainBytes))) Some(trial) else best
      }

  /** Compresses all chunks by `codec`, unless they get larger than others of the same values. */
  def compressor(codec: BufferCompression, inner: MiniBlockCompressor, other: MiniBlockCompressor, size: Long)
      : MiniBlockCompressor = values => {
    val compressed = General.compressor(codec, inner).compress(values)
    if (sizeOf(compressed) < size) compressed else other.compress(values)
  }

  private def sizeOf(values: MiniBlockValues): Long =
    values.chunks.iterator.flatMap(_.buffers).map(_.length.toLong).sum

  /** Returns four parts from all over the page, each of `perChunk` values. */
  def samples(values: DataBlock, perChunk: Int): Vector[DataBlock] =
    if (values.length <= Samples * perChunk) Vector(values)
    else
      Vector.tabulate(Samples) { k =>
        val from = ((values.length - perChunk).toLong * k / (Samples - 1)).toInt
        BlockRange.copy(values, from, from + perChunk)
      }
}
