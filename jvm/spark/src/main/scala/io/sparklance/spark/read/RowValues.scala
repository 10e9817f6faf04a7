package io.sparklance.spark.read

/** A vector that writes many values at once into rows. */
private[read] trait RowValues {

  /** Adds the bytes that values take besides the words of their column. */
  def measure(chunk: RowChunk): Unit = ()

  /** Writes the values of a column. Columns are written in ascending order. */
  def write(chunk: RowChunk, column: Int): Unit
}
