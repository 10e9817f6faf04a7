package io.sparklance.encoding.physical

import io.sparklance.data.{
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  NestedBlock,
  Slice,
  ValueShape,
  VariableBlock
}
import io.sparklance.encoding.EncodingHints.ByteStreamSplitMode
import io.sparklance.encoding.{BlockDecompressor, MiniBlockChunk, MiniBlockCompressor, MiniBlockValues}
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.{ByteStreamSplit => Message, CompressiveEncoding}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** The bytes of floating point numbers, of 32 or 64 bits, sorted by their place in the number, so that a
  * general compression around it finds the exponents next to each other:
  *
  * {{{
  * | byte 0 of each value | byte 1 of each value | ...
  * }}}
  */
private[sparklance] object ByteStreamSplit {

  def decompressor(message: Message, shape: ValueShape): BlockDecompressor =
    message.getValues.compression match {
      case Compression.Flat(flat) =>
        decompressor(Widths.agreed(flat.bitsPerValue, shape, "byte stream split"))
      case _ => throw new UnsupportedLanceFeatureException("byte stream split of compressed values")
    }

  def decompressor(bits: Int): BlockDecompressor = (buffer, count, out) => {
    if (buffer.length != Flat.sizeOf(count.toLong, bits))
      throw new LanceFormatException(s"$count values of $bits bits split over ${buffer.length} bytes")
    val at = Widths.fixed(out).extend(count)
    out match {
      case block: Fixed32Block => join32(buffer.array, buffer.offset, count, block.values, at)
      case block: Fixed64Block => join64(buffer.array, buffer.offset, count, block.values, at)
      case _: Fixed8Block | _: Fixed16Block | _: FixedBytesBlock | _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock =>
        Widths.mismatch("split bytes", out)
    }
  }

  private def join32(in: Array[Byte], from: Int, count: Int, out: Array[Int], at: Int): Unit = {
    var i = 0
    while (i < count) {
      out(at + i) = in(from + i) & 0xff | (in(from + count + i) & 0xff) << 8 |
        (in(from + 2 * count + i) & 0xff) << 16 | in(from + 3 * count + i) << 24
      i += 1
    }
  }

  private def join64(in: Array[Byte], from: Int, count: Int, out: Array[Long], at: Int): Unit = {
    var place = 0
    while (place < 8) {
      val start = from + place * count
      val shift = 8 * place
      var i = 0
      while (i < count) {
        val byte = (in(start + i) & 0xffL) << shift
        out(at + i) = if (place == 0) byte else out(at + i) | byte
        i += 1
      }
      place += 1
    }
  }

  def compressor(bits: Int, chunkBytes: Int = ChunkBytes): MiniBlockCompressor = values => {
    val perChunk = chunkBytes / (bits / 8)
    val chunks = (0 until values.length by perChunk).map { from =>
      val count = math.min(perChunk, values.length - from)
      MiniBlockChunk(count, Vector(split(Flat.bytes(values, bits, from, count), count)))
    }
    val message = Message(Some(Flat.encoding(bits)))
    MiniBlockValues(chunks.toVector, CompressiveEncoding(Compression.ByteStreamSplit(message)))
  }

  private def split(plain: Slice, count: Int): Slice = {
    val width = plain.length / math.max(1, count)
    val out = new Array[Byte](plain.length)
    var place = 0
    while (place < width) {
      var i = 0
      while (i < count) { out(place * count + i) = plain.array(plain.offset + i * width + place); i += 1 }
      place += 1
    }
    Slice(out)
  }

  /** Whether splitting helps the compression of `values`: if the hint says so, or if a sample suggests it. */
  def isWanted(values: DataBlock, mode: ByteStreamSplitMode): Boolean = mode match {
    case ByteStreamSplitMode.On => true
    case ByteStreamSplitMode.Off => false
    case ByteStreamSplitMode.Auto => values.length > 0 && meanEntropy(values) < MostEntropy
  }

  /** Mean entropy in bits of the bytes at each position, in a sample of the values. */
  private def meanEntropy(values: DataBlock): Double = {
    val count = math.min(SampleValues, values.length)
    val bits = if (values.sizeInBytes == 4L * values.length) 32 else 64
    val sample = split(Flat.bytes(values, bits, 0, count), count)
    sample.toArray.grouped(count).map(entropy).sum / (bits / 8)
  }

  private def entropy(bytes: Array[Byte]): Double = {
    val shares = bytes.groupBy(identity).values.map(_.length.toDouble / bytes.length)
    -shares.map(share => share * math.log(share) / math.log(2)).sum
  }

  private val ChunkBytes = 4096

  /** pylance's sample size. */
  private val SampleValues = 64
  private val MostEntropy = 4.0
}
