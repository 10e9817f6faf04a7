package io.sparklance.data

/** Values and nulls of a column, or of a part of one. */
final private[sparklance] class Column(val values: DataBlock, val nulls: NullMask = new NullMask) {

  def length: Int = values.length

  def discardHead(n: Int): Unit = { values.discardHead(n); nulls.discardHead(n) }
  def discard(from: Int, n: Int): Unit = { values.discard(from, n); nulls.discard(from, n) }
  def truncate(n: Int): Unit = { values.truncate(n); nulls.truncate(n) }

  /** Keeps, among the first `of` rows, those at the ascending `positions[0 until count]`, and all later rows.
    */
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

  /** Frees arrays of more than `most` bytes. Call only on empty columns. */
  def release(most: Long): Unit = { values.release(most); nulls.release(most) }
}

private[sparklance] object Column {
  def forShape(shape: ValueShape): Column = new Column(DataBlock.forShape(shape))
}
