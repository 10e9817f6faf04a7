package io.sparklance.spark.index

/** Memory of the tasks that build indices. */
private[index] object IndexMemory {
  final private val MostBytes = 96L << 20
  final private val LeastBytes = 8L << 20

  /** Share of a core's part of the heap. Arrays that grow, and sorting, take up to three times as much. */
  final private val Share = 8
  final private val MostTextBytes = 1L << 30
  final private val TextShare = 3

  /** Bytes of keys and row numbers that a task sorts in memory. */
  def sortBytes: Long = math.max(LeastBytes, math.min(MostBytes, ofCore / Share))

  /** Bytes of the texts of a partition of a full-text index. */
  def textBytes: Long = math.max(LeastBytes, math.min(MostTextBytes, ofCore / TextShare))

  private def ofCore: Long = {
    val runtime = Runtime.getRuntime
    runtime.maxMemory / math.max(1, runtime.availableProcessors)
  }
}
