package io.sparklance.dataset.write

import io.sparklance.data.LittleEndian
import io.sparklance.index.bloom.{BlockBloomFilter, XxHash64}

/** The primary keys that a commit inserts, in the reference's form: a split-block Bloom filter of fixed size,
  * of XXH64 hashes of each key's bytes.
  *
  * {{{
  * one column   its value's bytes: texts as UTF-8, binaries, integers as 8 bytes, little endian
  * several      for each column its value's bytes, and a byte 00
  * }}}
  */
final private[sparklance] class KeyFilter {
  private val bits = new Array[Byte](KeyFilter.Bytes)

  /** Adds a key of its columns' values. */
  def add(values: Array[Array[Byte]]): Unit = {
    val key = if (values.length == 1) values(0) else values.flatMap(_ :+ 0.toByte)
    BlockBloomFilter.add(bits, XxHash64.hash(key))
  }

  def bitmap: Array[Byte] = bits
}

private[sparklance] object KeyFilter {
  final val Bytes = 32768

  /** Returns the bytes of an integer. */
  def bytes(value: Long): Array[Byte] = {
    val eight = new Array[Byte](8)
    LittleEndian.putLong(eight, 0, value)
    eight
  }

  /** Returns the filter of all keys of several filters; None if there are none. */
  def union(bitmaps: Vector[Array[Byte]]): Option[Array[Byte]] = bitmaps.reduceOption { (a, b) =>
    val both = a.clone()
    var i = 0
    while (i < both.length) {
      both(i) = (both(i) | b(i)).toByte
      i += 1
    }
    both
  }
}
