package io.sparklance.encoding

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, Slice}

/** Decodes the values of one mini-block chunk, which holds one or more buffers. */
trait MiniBlockDecompressor {

  /** Appends exactly `count` values to `out`, or throws. */
  def decompress(buffers: Array[Slice], count: Int, out: DataBlock): Unit

  /** Appends values among which are all of a chunk, if these are fewer and sooner found, and says whether it did. */
  def candidates(buffers: Array[Slice], out: DataBlock): Boolean = false
}

object MiniBlockDecompressor {

  /** For encodings whose chunks are one buffer and look like blocks. */
  def ofOneBuffer(block: BlockDecompressor): MiniBlockDecompressor = (buffers, count, out) => {
    if (buffers.length != 1)
      throw new LanceFormatException(s"a chunk has ${buffers.length} value buffers where its encoding has 1")
    block.decompress(buffers(0), count, out)
  }
}

/** Decodes one buffer of values whose number is known from elsewhere: levels, dictionaries. */
trait BlockDecompressor {

  /** Appends exactly `count` values to `out`, or throws. */
  def decompress(buffer: Slice, count: Int, out: DataBlock): Unit

  /** How many values a buffer has, if it tells itself. */
  def countOf(buffer: Slice): Option[Int] = None
}

/** Decodes values that lie one by one in a full-zip page. */
trait PerValueDecompressor {

  /** Appends the value that `bytes[from, from + size)` stores. */
  def decompress(bytes: Array[Byte], from: Int, size: Int, out: DataBlock): Unit
}

/** Decodes values of one width that lie back to back, or one by one, in a full-zip page. */
trait FixedValuesDecompressor {
  def bytesPerValue: Int

  /** Appends the `count` values that lie back to back from `from` on; all their bytes are there. */
  def decompress(bytes: Array[Byte], from: Int, count: Int, out: DataBlock): Unit
}
