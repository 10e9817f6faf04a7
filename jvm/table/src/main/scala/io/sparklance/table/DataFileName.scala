package io.sparklance.table

import java.util.UUID

/** Names of data files: a random UUID, its first three bytes in binary, which spreads files over the
  * partitions of an object store, the other thirteen in hex. The last eight bytes are equal in all files of a
  * write.
  */
private[sparklance] object DataFileName {
  def random(write: WriteId): String = of(new UUID(UUID.randomUUID().getMostSignificantBits, write.bits))

  /** Returns the name of the directory beside a data file. */
  def stem(fileName: String): String = fileName.stripSuffix(".lance")

  def of(id: UUID): String = {
    val binary = (id.getMostSignificantBits >>> 40 | 1L << 24).toBinaryString.substring(1)
    binary + f"${id.getMostSignificantBits & 0xffffffffffL}%010x${id.getLeastSignificantBits}%016x" + ".lance"
  }
}
