package io.sparklance.data

/** A column, or a stretch of one: values and which of them are null. */
final class Column(val values: DataBlock, val nulls: NullMask = new NullMask) {

  def length: Int = values.length

  def discardHead(n: Int): Unit = { values.discardHead(n); nulls.discardHead(n) }
  def discard(from: Int, n: Int): Unit = { values.discard(from, n); nulls.discard(from, n) }
  def truncate(n: Int): Unit = { values.truncate(n); nulls.truncate(n) }

  /** Of the first `of` rows keeps those at `positions[0 until count]`, which increase; all behind them stay. */
  def retain(positions: Array[Int], count: Int, of: Int): Unit = {
    values.retain(positions, count, of)
    nulls.retain(positions, count, of)
  }
  def appendNulls(n: Int): Unit = { values.appendSlots(n); nulls.appendNull(n) }
  private[data] def moveDown(from: Int, to: Int, n: Int): Unit = {
    values.moveDown(from, to, n)
    nulls.moveDown(from, to, n)
  }
  def clear(): Unit = { values.clear(); nulls.clear() }

  /** Gives back arrays of more than `most` bytes. For columns without values. */
  def release(most: Long): Unit = { values.release(most); nulls.release(most) }
}

object Column {
  def forShape(shape: ValueShape): Column = new Column(DataBlock.forShape(shape))
}
