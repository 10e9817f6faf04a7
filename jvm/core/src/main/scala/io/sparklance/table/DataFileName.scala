package io.sparklance.table

import java.util.UUID

/** Names of data files: of a random UUID's bytes the first three in binary, which spreads files over the partitions of an
  * object store, and the other thirteen in hex. The last eight are the same for all files of a write.
  */
private[sparklance] object DataFileName {
  def random(write: WriteId): String = of(new UUID(UUID.randomUUID().getMostSignificantBits, write.bits))

  /** Of a data file, what the directory beside it is called. */
  def stem(fileName: String): String = fileName.stripSuffix(".lance")

  def of(id: UUID): String = {
    val binary = (id.getMostSignificantBits >>> 40 | 1L << 24).toBinaryString.substring(1)
    binary + f"${id.getMostSignificantBits & 0xffffffffffL}%010x${id.getLeastSignificantBits}%016x" + ".lance"
  }
}
