package io.sparklance.index.read

import io.sparklance.LanceFormatException
import io.sparklance.data.{LittleEndian, Slice}

/** Parquet's split-block Bloom filter: blocks of eight u32 words. The upper half of a hash chooses the block,
  * the lower half one bit of each word.
  */
private[index] object BlockBloomFilter {
  final private val BlockBytes = 32
  private val Salts = Array(0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b,
    0x9efc4947, 0x5c6bfb31)

  def mayContain(filter: Slice, hash: Long): Boolean = {
    val blocks = filter.length / BlockBytes
    if (blocks == 0 || filter.length % BlockBytes != 0)
      throw new LanceFormatException(s"a Bloom filter of ${filter.length} bytes")
    val block = (((hash >>> 32) * blocks) >>> 32).toInt * BlockBytes
    var i = 0
    while (i < Salts.length && isSet(filter, block + 4 * i, bit(hash, i))) i += 1
    i == Salts.length
  }

  private def bit(hash: Long, word: Int): Int = (hash.toInt * Salts(word)) >>> 27

  private def isSet(filter: Slice, at: Int, bit: Int): Boolean =
    (LittleEndian.int(filter.array, filter.offset + at) >>> bit & 1) != 0
}

/** XXH64 with seed 0. */
private[index] object XxHash64 {
  final private val Prime1 = 0x9e3779b185ebca87L
  final private val Prime2 = 0xc2b2ae3d27d4eb4fL
  final private val Prime3 = 0x165667b19e3779f9L
  final private val Prime4 = 0x85ebca77c2b2ae63L
  final private val Prime5 = 0x27d4eb2f165667c5L

  /** Prime1 + Prime2, Prime2, 0, -Prime1. */
  private val FirstLanes = Array(0x60ea27eeadc0b5d6L, Prime2, 0L, 0x61c8864e7a143579L)

  def hash(bytes: Array[Byte]): Long = {
    val lanes = FirstLanes.clone()
    var at = 0
    while (at + 32 <= bytes.length) {
      var lane = 0
      while (lane < 4) {
        lanes(lane) = round(lanes(lane), LittleEndian.long(bytes, at + 8 * lane))
        lane += 1
      }
      at += 32
    }
    var h = if (bytes.length < 32) Prime5 else merged(lanes)
    h += bytes.length
    while (at + 8 <= bytes.length) {
      h = java.lang.Long.rotateLeft(h ^ round(0, LittleEndian.long(bytes, at)), 27) * Prime1 + Prime4
      at += 8
    }
    if (at + 4 <= bytes.length) {
      h = java.lang.Long.rotateLeft(h ^ LittleEndian.unsignedInt(bytes, at) * Prime1, 23) * Prime2 + Prime3
      at += 4
    }
    while (at < bytes.length) {
      h = java.lang.Long.rotateLeft(h ^ (bytes(at) & 0xffL) * Prime5, 11) * Prime1
      at += 1
    }
    avalanche(h)
  }

  private def merged(lanes: Array[Long]): Long = {
    val rotated = lanes.zip(Array(1, 7, 12, 18)).map { case (lane, by) =>
      java.lang.Long.rotateLeft(lane, by)
    }
    lanes.foldLeft(rotated.sum)((h, lane) => (h ^ round(0, lane)) * Prime1 + Prime4)
  }

  private def round(lane: Long, input: Long): Long =
    java.lang.Long.rotateLeft(lane + input * Prime2, 31) * Prime1

  private def avalanche(hash: Long): Long = {
    val a = (hash ^ hash >>> 33) * Prime2
    val b = (a ^ a >>> 29) * Prime3
    b ^ b >>> 32
  }
}
