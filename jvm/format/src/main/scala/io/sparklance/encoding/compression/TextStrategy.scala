package io.sparklance.encoding.compression

import io.sparklance.data.{DataBlock, VariableBlock}
import io.sparklance.encoding.MiniBlockCompressor
import io.sparklance.encoding.compression.CompressedChunks.Trial
import io.sparklance.encoding.compression.CompressionStrategy.Subject
import io.sparklance.encoding.physical.{FsstEncoder, General, Variable}
import io.sparklance.proto.encodings.BufferCompression

/** The writer's choice of a compression of strings in mini-block pages: FSST, or a codec around plain chunks
  * where the strings repeat more than FSST's symbols of eight bytes can say, such as JSON.
  */
private[compression] object TextStrategy {

  /** Twice pylance's chunk size. pylance reads such chunks in 0.9 of the time. */
  final private val FsstChunkBytes = 8 << 10

  /** About what a chunk of FSST has once it is decoded. */
  final private val PlainChunkBytes = 16 << 10

  final private val FsstNanosPerByte = 0.45

  /** Returns FSST or a codec, if one of them makes the strings smaller. */
  def apply(subject: Subject, strings: VariableBlock, offsetBits: Int): Option[MiniBlockCompressor] = {
    val fsst = FsstEncoder.of(strings, subject.longest, offsetBits)
      .map(_.compressor(offsetBits, subject.chunkBytes(FsstChunkBytes)))
    codec(
      strings,
      offsetBits,
      subject,
      fsst
    ).map(General.compressor(_, plain(subject, offsetBits))).orElse(fsst)
  }

  private def plain(subject: Subject, offsetBits: Int): MiniBlockCompressor =
    Variable.compressor(offsetBits, subject.chunkBytes(PlainChunkBytes))

  private def codec(
      strings: VariableBlock,
      offsetBits: Int,
      subject: Subject,
      fsst: Option[MiniBlockCompressor]
  ): Option[BufferCompression] = Option.when(isFree(subject, strings)) {
    val each = subject.flatSize.toDouble / strings.length
    val samples = CompressedChunks.samples(strings, valuesOfChunk(each))
    val count = samples.map(_.length).sum.toDouble
    val other = DecodeCost(
      fsst.fold(each)(compressor => sizeOf(samples, compressor) / count),
      FsstNanosPerByte * each
    )
    val chunks = samples.map(plain(subject, offsetBits).compress(_)).flatMap(_.chunks)
    val trials = CompressedChunks.Codecs.map { codec =>
      val size = chunks.map(chunk => General.compressedSize(codec, chunk.buffers.head)).sum / count
      Trial(codec, DecodeCost(size, nanos(codec, each, size)))
    }
    CompressedChunks.cheapest(trials, other, each).map(_.codec)
  }.flatten

  private def isFree(subject: Subject, strings: VariableBlock): Boolean =
    subject.hints.compression.isEmpty && strings.byteLength >= PlainChunkBytes

  private def sizeOf(samples: Vector[DataBlock], compressor: MiniBlockCompressor): Double =
    samples.flatMap(compressor.compress(_).chunks).map(_.buffers.head.length.toLong).sum.toDouble

  /** Nanoseconds of decoding a string.
    *
    * @param plain
    *   its bytes
    * @param compressed
    *   its bytes on disk
    */
  private def nanos(codec: BufferCompression, plain: Double, compressed: Double): Double =
    if (codec.scheme.isCompressionAlgorithmZstd) 0.35 * plain + 2.2 * compressed
    else 0.35 * plain + 0.5 * compressed

  /** A power of two, as chunks have. */
  private def valuesOfChunk(each: Double): Int =
    math.max(2, Integer.highestOneBit((PlainChunkBytes / math.max(1.0, each)).toInt))
}
