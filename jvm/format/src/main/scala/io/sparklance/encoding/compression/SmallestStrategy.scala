package io.sparklance.encoding.compression

import io.sparklance.data.ValueShape
import io.sparklance.encoding.EncodingHints.ByteStreamSplitMode
import io.sparklance.encoding.MiniBlockCompressor
import io.sparklance.encoding.compression.CompressionStrategy.Subject
import io.sparklance.encoding.physical.{ByteStreamSplit, Flat, InlineBitpacking, Rle, Variable}
import io.sparklance.proto.encodings.BufferCompression

/** The form that zstd makes the smallest, for users who ask for it and for no other encoding. */
private[compression] object SmallestStrategy {

  /** Words of a chunk of a sample, and of a split one; it has at most 16 KiB before compression. */
  final private val ChunkValues = 2048

  /** @param bytes
    *   of a value, by a sample
    */
  final case class Choice(inner: MiniBlockCompressor, codec: BufferCompression, bytes: Double)

  def apply(subject: Subject): Option[Choice] =
    for {
      codec <- subject.hints.general if subject.isSmallest && asksForNothingElse(subject)
      perChunk = valuesOfChunk(subject)
      choices = for (form <- forms(subject); level <- levels(codec))
        yield Choice(form, level, CompressedChunks.bytesOfSample(subject.inRuns, form, perChunk, level))
      best <- choices.minByOption(_.bytes)
    } yield best

  /** A lower level than the usual one is smaller for some words. */
  private def levels(codec: BufferCompression): Vector[BufferCompression] =
    if (codec.level.isDefined) Vector(codec) else Vector(codec, codec.withLevel(1))

  private def asksForNothingElse(subject: Subject): Boolean =
    subject.hints.rleThreshold.isEmpty && subject.hints.byteStreamSplit == ByteStreamSplitMode.Auto

  private def forms(subject: Subject): Vector[MiniBlockCompressor] = subject.shape match {
    case ValueShape.FixedWidth(bits) =>
      val flat = Flat.compressor(bits, subject.flatChunkBytes)
      flat +: subject.wordBits.toVector.flatMap { bits =>
        val split = Option.when(bits >= 32)(ByteStreamSplit.compressor(bits, ChunkValues * bits / 8))
        Vector(InlineBitpacking.compressor(bits), Rle.compressor(bits)) ++ split
      }
    case ValueShape.VariableWidth(offsetBits) => Vector(Variable.compressor(offsetBits, subject.chunkBytes))
    case ValueShape.FixedSizeList(_, _) | ValueShape.Struct(_) => Vector.empty
  }

  private def valuesOfChunk(subject: Subject): Int = {
    val each = subject.flatSize / math.max(1, subject.values.length)
    val most =
      if (ValueShape.isVariable(subject.shape)) subject.chunkBytes / math.max(1, each) else ChunkValues
    Integer.highestOneBit(math.max(2, math.min(ChunkValues, most)).toInt)
  }
}
