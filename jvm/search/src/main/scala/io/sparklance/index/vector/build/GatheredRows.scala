package io.sparklance.index.vector.build

import scala.collection.mutable

import io.sparklance.LanceUsageException

/** The rows of a partition that are written together.
  *
  * @param width
  *   bytes of a vector
  */
final private[build] class GatheredRows(width: Int) {
  private val chunks = mutable.ArrayBuffer.empty[Array[Byte]]
  private var count = 0

  def rows: Int = count

  def add(partition: Int, chunk: Array[Byte], n: Int): Unit = {
    if ((count.toLong + n) * math.max(8, width) > GatheredRows.MaxBytes)
      throw new LanceUsageException(
        s"Partition $partition of the index has more than ${count.toLong + n} rows, too many to write. Give a greater " +
          "num_partitions, or a smaller segment_rows."
      )
    chunks += chunk
    count += n
  }

  /** Returns ids and codes, row after row, and forgets them. */
  def take(): (Array[Byte], Array[Byte]) = {
    val (ids, codes) = (new Array[Byte](8 * count), new Array[Byte](width * count))
    var first = 0
    chunks.indices.foreach { i =>
      val chunk = chunks(i)
      val n = PartitionChunk.rows(chunk, width)
      System.arraycopy(chunk, PartitionChunk.Head, ids, 8 * first, 8 * n)
      System.arraycopy(chunk, PartitionChunk.Head + 8 * n, codes, width * first, width * n)
      // Each chunk can be freed as soon as it is copied.
      chunks(i) = Array.emptyByteArray
      first += n
    }
    chunks.clear()
    count = 0
    (ids, codes)
  }
}

private[build] object GatheredRows {
  final private val MaxBytes = 1L << 30

  /** Returns all first bytes of rows, then all second ones, and so on. */
  def transposed(codes: Array[Byte], width: Int): Array[Byte] = {
    val out = new Array[Byte](codes.length)
    val n = codes.length / width
    var b = 0
    while (b < width) {
      var i = 0
      while (i < n) { out(b * n + i) = codes(i * width + b); i += 1 }
      b += 1
    }
    out
  }
}
