package io.sparklance.data

/** A column, or a stretch of one: values and which of them are null. */
final class Column(val values: DataBlock) {
  val nulls: NullMask = new NullMask

  def length: Int = values.length

  def discardHead(n: Int): Unit = { values.discardHead(n); nulls.discardHead(n) }
  def truncate(n: Int): Unit = { values.truncate(n); nulls.truncate(n) }
  def retain(positions: Array[Int], count: Int): Unit = {
    values.retain(positions, count)
    nulls.retain(positions, count)
  }
  def clear(): Unit = { values.clear(); nulls.clear() }
}

object Column {
  def forShape(shape: ValueShape): Column = new Column(DataBlock.forShape(shape))
}
