package io.sparklance.index.bloom

import io.sparklance.LanceFormatException
import io.sparklance.data.{LittleEndian, Slice}

/** Parquet's split-block Bloom filter: blocks of eight u32 words. The upper half of a hash chooses the block;
  * the lower half, multiplied by the word's salt, one bit of each word.
  */
private[sparklance] object BlockBloomFilter {
  final val BlockBytes = 32
  private val Salts = Array(0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b,
    0x9efc4947, 0x5c6bfb31)

  /** Adds a value to a filter of whole blocks. */
  def add(filter: Array[Byte], hash: Long): Unit = {
    val block = blockOf(hash, filter.length)
    var word = 0
    while (word < Salts.length) {
      val at = block + 4 * word
      LittleEndian.putInt(filter, at, LittleEndian.int(filter, at) | 1 << bit(hash, word))
      word += 1
    }
  }

  def mayContain(filter: Slice, hash: Long): Boolean = {
    if (filter.length == 0 || filter.length % BlockBytes != 0)
      throw new LanceFormatException(s"a Bloom filter of ${filter.length} bytes")
    val block = filter.offset + blockOf(hash, filter.length)
    var word = 0
    while (word < Salts.length && isSet(filter.array, block + 4 * word, bit(hash, word))) word += 1
    word == Salts.length
  }

  /** Place of a value's block in a filter of `size` bytes. */
  private def blockOf(hash: Long, size: Int): Int = (((hash >>> 32) * (size / BlockBytes)) >>> 32).toInt *
    BlockBytes

  private def bit(hash: Long, word: Int): Int = (hash.toInt * Salts(word)) >>> 27

  private def isSet(bytes: Array[Byte], at: Int, bit: Int): Boolean =
    (LittleEndian.int(bytes, at) >>> bit & 1) != 0
}
