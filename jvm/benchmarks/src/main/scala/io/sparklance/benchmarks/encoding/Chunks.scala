package io.sparklance.benchmarks.encoding

import io.sparklance.data.{DataBlock, ValueShape}
import io.sparklance.encoding.MiniBlockValues
import io.sparklance.encoding.compression.Decompressors

/** Chunks of a page in memory, and what undoes their compression. */
final class Chunks(values: MiniBlockValues, shape: ValueShape) {
  private val chunks = values.chunks.map(chunk => (chunk.values, chunk.buffers.toArray)).toArray
  private val decompressor = Decompressors.miniBlock(values.encoding, shape)
  private val out = DataBlock.forShape(shape)

  /** All values, in a block that is overwritten the next time. */
  def decode(): DataBlock = {
    out.clear()
    var i = 0
    while (i < chunks.length) {
      val (count, buffers) = chunks(i)
      decompressor.decompress(buffers, count, out)
      i += 1
    }
    out
  }
}

object Chunks {

  /** Number of values in a block of the benchmarks, small enough for the processor's cache. */
  final val Values = 16384
}
