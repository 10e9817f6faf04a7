package io.sparklance.spark.index

/** Memory of the tasks that build indices. */
private[index] object IndexMemory {
  final private val MostBytes = 96L << 20
  final private val LeastBytes = 8L << 20

  /** Share of a core's part of the heap. Arrays that grow, and sorting, take up to three times as much. */
  final private val Share = 8

  /** Bytes of keys and row numbers that a task sorts in memory. */
  def sortBytes: Long = {
    val runtime = Runtime.getRuntime
    val ofCore = runtime.maxMemory / math.max(1, runtime.availableProcessors)
    math.max(LeastBytes, math.min(MostBytes, ofCore / Share))
  }
}
