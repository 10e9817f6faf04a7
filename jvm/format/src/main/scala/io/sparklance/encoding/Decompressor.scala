package io.sparklance.encoding

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, Slice, ValueShape}
import io.sparklance.proto.encodings.CompressiveEncoding

/** Decodes the values of one mini-block chunk, which holds one or more buffers. */
private[sparklance] trait MiniBlockDecompressor {

  /** Appends exactly `count` values to `out`, or throws. */
  def decompress(buffers: Array[Slice], count: Int, out: DataBlock): Unit

  /** Whether [[candidates]] can find any. */
  def hasCandidates: Boolean = false

  /** Appends a superset of the distinct values of a chunk of `count`, if one is cheap to find. Returns
    * whether it did.
    */
  def candidates(buffers: Array[Slice], count: Int, out: DataBlock): Boolean = false
}

private[sparklance] object MiniBlockDecompressor {

  /** Adapts a block decompressor to chunks of one buffer. */
  def ofOneBuffer(block: BlockDecompressor): MiniBlockDecompressor = (buffers, count, out) => {
    if (buffers.length != 1)
      throw new LanceFormatException(s"a chunk has ${buffers.length} value buffers where its encoding has 1")
    block.decompress(buffers(0), count, out)
  }
}

/** Decodes one buffer of levels or dictionary items. The caller knows their number. */
private[sparklance] trait BlockDecompressor {

  /** Appends exactly `count` values to `out`, or throws. */
  def decompress(buffer: Slice, count: Int, out: DataBlock): Unit

  /** Number of values in a buffer, if the buffer records it. */
  def countOf(buffer: Slice): Option[Int] = None
}

/** Decodes single values of a full-zip page. */
private[sparklance] trait PerValueDecompressor {

  /** Appends the value that `bytes[from, from + size)` stores. */
  def decompress(bytes: Array[Byte], from: Int, size: Int, out: DataBlock): Unit
}

/** Decodes fixed-width values of a full-zip page, back to back or one by one. */
private[sparklance] trait FixedValuesDecompressor {
  def bytesPerValue: Int

  /** Appends `count` values stored back to back from `from` on. The caller has checked that the bytes exist.
    */
  def decompress(bytes: Array[Byte], from: Int, count: Int, out: DataBlock): Unit
}

/** Chooses decompressors for values inside other values, as the fields of packed structs are. */
private[encoding] trait ValueDecompressors {
  def fixedValues(encoding: CompressiveEncoding, shape: ValueShape): FixedValuesDecompressor
  def perValue(encoding: CompressiveEncoding, shape: ValueShape): PerValueDecompressor
}
