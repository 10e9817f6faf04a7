package io.sparklance.index.build

/** Divides rows into ranges by key and row number, null keys first.
  *
  * @param bounds
  *   first row of each range but the first, ascending; a null key for null
  */
final private[sparklance] case class KeyBounds[K <: AnyRef](keys: IndexKeys[K], bounds: Vector[(K, Long)]) {
  @transient private lazy val edges: Array[KeyBuffer[K]] = bounds.iterator.map { case (key, id) =>
    val edge = keys.buffer
    edge.add(key, id)
    edge
  }.toArray

  /** Number of ranges. */
  def ranges: Int = bounds.size + 1

  /** Returns the range of a row. */
  def rangeOf(rows: KeyBuffer[K], row: Int): Int = {
    val all = edges
    var low = 0
    var high = all.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (precedes(rows, row, all(middle))) high = middle else low = middle + 1
    }
    low
  }

  /** Adds each row to the buffer of its range. */
  def divide(rows: KeyBuffer[K], buffers: Array[KeyBuffer[K]]): Unit = {
    var row = 0
    while (row < rows.size) {
      buffers(rangeOf(rows, row)).addRow(rows, row)
      row += 1
    }
  }

  private def precedes(rows: KeyBuffer[K], row: Int, edge: KeyBuffer[K]): Boolean = {
    val order = rows.compareKeys(row, edge, 0)
    order < 0 || order == 0 && rows.id(row) < edge.id(0)
  }
}

private[sparklance] object KeyBounds {

  /** Returns bounds of `ranges` ranges of about the same size.
    *
    * @param sample
    *   rows from all over the table
    */
  def of[K <: AnyRef](keys: IndexKeys[K], sample: Vector[(K, Long)], ranges: Int): KeyBounds[K] = {
    val sorted = sample.sortWith((a, b) => precedes(keys, a, b))
    val at = (1 until ranges).map(i => (i.toLong * sorted.size / ranges).toInt).distinct
    KeyBounds(keys, if (sorted.isEmpty) Vector.empty else at.map(sorted).toVector)
  }

  private def precedes[K <: AnyRef](keys: IndexKeys[K], a: (K, Long), b: (K, Long)): Boolean = {
    val order = keys.compareOrNull(a._1, b._1)
    order < 0 || order == 0 && a._2 < b._2
  }
}
