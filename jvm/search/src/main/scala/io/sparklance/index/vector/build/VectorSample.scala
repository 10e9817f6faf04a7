package io.sparklance.index.vector.build

import io.sparklance.index.build.IndexedRows
import io.sparklance.vector.VectorColumn

/** Collects the vectors of sampled rows, at most `capacity` of them. */
final private[sparklance] class VectorSample(column: VectorColumn, normalizes: Boolean, capacity: Int) {
  private val dimension = column.dimension
  private val batch = new VectorBatch(column.item, dimension, normalizes)
  private var values = new Array[Float](math.min(capacity, 1024) * dimension)
  private var n = 0

  def add(rows: IndexedRows): Unit = {
    batch.load(rows.values, rows.nulls, rows.count)
    val count = math.min(batch.count, capacity - n)
    val needed = (n + count) * dimension
    if (needed > values.length)
      values = java.util.Arrays.copyOf(
        values,
        math.max(needed, math.min(2L * values.length, capacity.toLong * dimension).toInt)
      )
    System.arraycopy(batch.values, 0, values, n * dimension, count * dimension)
    n += count
  }

  /** Number of vectors. */
  def count: Int = n

  private[build] def points: Points = Points(java.util.Arrays.copyOf(values, n * dimension), dimension)
}
