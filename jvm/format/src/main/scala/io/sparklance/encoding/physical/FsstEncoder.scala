package io.sparklance.encoding.physical

import com.google.protobuf.ByteString

import io.sparklance.data.VariableBlock
import io.sparklance.encoding.{MiniBlockCompressor, MiniBlockValues, PerValueCompressor, PerValueStrings}
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.{CompressiveEncoding, Fsst => FsstMessage}

/** Compresses strings with the symbols that [[FsstTraining]] finds. [[Fsst]] describes the result. */
final private[encoding] class FsstEncoder private (symbols: FsstSymbols) {

  /** Returns a compressor to chunks of codes, as large as those of strings would be. */
  def compressor(offsetBits: Int, chunkBytes: Int): MiniBlockCompressor = values => {
    val codes = encode(Variable.asVariable(values))
    val plain = Variable.compressor(offsetBits, chunkBytes).compress(codes)
    MiniBlockValues(plain.chunks, encoding(plain.encoding))
  }

  def perValueCompressor(offsetBits: Int): PerValueCompressor =
    strings => PerValueStrings(encode(strings), encoding(Variable.encoding(offsetBits)))

  private def encode(strings: VariableBlock): VariableBlock = {
    val codes = new VariableBlock
    codes.reserve(strings.length, strings.byteLength / 2)
    var i = 0
    while (i < strings.length) {
      val (from, to) = (strings.offsets(i), strings.offsets(i + 1))
      codes.reserve(1, Math.multiplyExact(2, to - from))
      codes.offsets(i + 1) = symbols.encode(strings.bytes, from, to, codes.bytes, codes.byteLength)
      codes.advance(1)
      i += 1
    }
    codes
  }

  private def encoding(codes: CompressiveEncoding): CompressiveEncoding =
    CompressiveEncoding(Compression.Fsst(FsstMessage(ByteString.copyFrom(symbols.print), Some(codes))))
}

private[encoding] object FsstEncoder {

  /** pylance's minimum. */
  final private val MinBytes = 32768L
  final private val MinLongest = 5L

  /** Largest size of a sample's codes as a share of its bytes; a smaller gain does not pay for decoding. */
  final private val WorthWhile = 0.95

  /** Returns an encoder for `strings`, if there are enough of them and FSST shortens them. */
  def of(strings: VariableBlock, longest: Long, offsetBits: Int): Option[FsstEncoder] =
    Option
      .when(longest >= MinLongest &&
        strings.byteLength + (strings.length + 1L) * (offsetBits / 8) >= MinBytes) {
        val sample = FsstTraining.sampleOf(strings)
        val encoder = new FsstEncoder(FsstTraining.symbolsFor(sample))
        val share = encoder.encode(sample).byteLength.toDouble / math.max(1, sample.byteLength)
        Option.when(share <= WorthWhile && (1 - share) * strings.byteLength > Fsst.TableBytes)(encoder)
      }
      .flatten
}
