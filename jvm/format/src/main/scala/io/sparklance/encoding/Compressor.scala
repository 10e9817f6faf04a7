package io.sparklance.encoding

import io.sparklance.data.{DataBlock, Slice, VariableBlock}
import io.sparklance.proto.encodings.CompressiveEncoding

/** Encodes the values of a page, without its levels, in chunks. */
private[sparklance] trait MiniBlockCompressor {
  def compress(values: DataBlock): MiniBlockValues
}

/** @param chunks in order; all but the last hold a power of two of values */
final private[sparklance] case class MiniBlockValues(
    chunks: Vector[MiniBlockChunk],
    encoding: CompressiveEncoding
)

/** @param buffers the same number for each chunk of a page */
final private[sparklance] case class MiniBlockChunk(values: Int, buffers: Vector[Slice])

/** Encodes a sequence of values as one buffer: levels, dictionaries. */
private[sparklance] trait BlockCompressor {
  def compress(values: DataBlock): BlockValues
}

final private[sparklance] case class BlockValues(buffer: Slice, encoding: CompressiveEncoding)

/** Encodes strings one by one, for full-zip pages. */
private[sparklance] trait PerValueCompressor {
  def compress(strings: VariableBlock): PerValueStrings
}

final private[sparklance] case class PerValueStrings(strings: VariableBlock, encoding: CompressiveEncoding)

/** A page as it goes to disk: its buffers in the order of the format, and the message that describes them. */
final private[sparklance] case class EncodedPage(
    buffers: Vector[Slice],
    layout: io.sparklance.proto.encodings.PageLayout,
    rows: Long
)

/** Values of one width, back to back: the content of a full-zip page before its control words. */
final private[sparklance] case class FixedValues(
    bytes: Slice,
    bytesPerValue: Int,
    encoding: CompressiveEncoding
)
