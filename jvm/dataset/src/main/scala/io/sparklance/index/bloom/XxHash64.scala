package io.sparklance.index.bloom

import net.jpountz.xxhash.XXHashFactory

/** XXH64 with seed 0. */
private[sparklance] object XxHash64 {
  private val xxh64 = XXHashFactory.fastestJavaInstance().hash64()

  def hash(bytes: Array[Byte]): Long = hash(bytes, 0, bytes.length)

  def hash(bytes: Array[Byte], from: Int, size: Int): Long = xxh64.hash(bytes, from, size, 0L)
}
