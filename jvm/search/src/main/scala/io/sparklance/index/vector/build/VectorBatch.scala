package io.sparklance.index.vector.build

import io.sparklance.data.{
  Column,
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedSizeListBlock,
  Halves,
  ListBlock
}
import io.sparklance.vector.VectorItem

/** The vectors of a batch that an index takes, as floats: not null, no null, NaN or infinity among the items,
  * and with `normalizes` not all zero. Belongs to one thread.
  *
  * @param normalizes
  *   whether to scale vectors to length 1
  */
final private[build] class VectorBatch(item: VectorItem, dimension: Int, normalizes: Boolean) {
  private var items = Array.emptyFloatArray
  private var taken = Array.emptyIntArray
  private var stored = Array.emptyIntArray
  private var lengths = Array.emptyDoubleArray
  private var n = 0

  /** Number of vectors. */
  def count: Int = n

  /** The vectors, one after the other. */
  def values: Array[Float] = items

  /** Rows of the batch that have the vectors. */
  def rows: Array[Int] = taken

  /** Places of the vectors among those of the column. */
  def places: Array[Int] = stored

  /** Lengths of the vectors before they were scaled. */
  def norms: Array[Double] = lengths

  /** Takes the vectors of a batch.
    *
    * @param nulls
    *   flags of the rows without a vector; null if there are none
    */
  def load(column: Column, nulls: Array[Boolean], rows: Int): Unit = {
    n = 0
    column.values match {
      case lists: FixedSizeListBlock =>
        reserve(rows)
        var row = 0
        while (row < rows) {
          if ((nulls == null || !nulls(row)) && !hasNull(lists, row)) take(lists.items, row, row)
          row += 1
        }
      case lists: ListBlock => loadLists(lists, nulls, rows)
      case other => throw new IllegalStateException(s"vectors in a ${other.getClass}")
    }
  }

  /** Takes all vectors of each row. */
  private def loadLists(lists: ListBlock, nulls: Array[Boolean], rows: Int): Unit = {
    val vectors = VectorBatch.vectors(lists.items)
    reserve(lists.offsets(rows))
    var row = 0
    while (row < rows) {
      if (nulls == null || !nulls(row)) {
        var place = lists.offsets(row)
        while (place < lists.offsets(row + 1)) {
          if (!lists.items.nulls.isNull(place) && !hasNull(vectors, place)) take(vectors.items, row, place)
          place += 1
        }
      }
      row += 1
    }
  }

  private def take(from: DataBlock, row: Int, place: Int): Unit = {
    val at = n * dimension
    copy(from, place * dimension, at)
    if (isFinite(at) && (!normalizes || normalize(at))) {
      taken(n) = row
      stored(n) = place
      n += 1
    }
  }

  private def copy(from: DataBlock, start: Int, at: Int): Unit = {
    var i = 0
    from match {
      case block: Fixed32Block =>
        val bits = block.values
        while (i < dimension) { items(at + i) = java.lang.Float.intBitsToFloat(bits(start + i)); i += 1 }
      case block: Fixed64Block =>
        val bits = block.values
        while (i < dimension) {
          items(at + i) = VectorBatch.toFloat(java.lang.Double.longBitsToDouble(bits(start + i)))
          i += 1
        }
      case block: Fixed16Block =>
        val bits = block.values
        while (i < dimension) { items(at + i) = Halves.number(bits(start + i) & 0xffff).toFloat; i += 1 }
      case block: Fixed8Block =>
        val bytes = block.values
        while (i < dimension) { items(at + i) = (bytes(start + i) & 0xff).toFloat; i += 1 }
      case other => throw new IllegalStateException(s"items of ${item.name} in a ${other.getClass}")
    }
  }

  private def isFinite(at: Int): Boolean = {
    var s0, s1, s2, s3 = 0f
    var i = 0
    while (i + 3 < dimension) {
      s0 += items(at + i) * 0f
      s1 += items(at + i + 1) * 0f
      s2 += items(at + i + 2) * 0f
      s3 += items(at + i + 3) * 0f
      i += 4
    }
    while (i < dimension) { s0 += items(at + i) * 0f; i += 1 }
    s0 + s1 + s2 + s3 == 0f
  }

  /** Returns false for a vector of zeros, which has no direction. */
  private def normalize(at: Int): Boolean = {
    var square = 0.0
    var i = 0
    while (i < dimension) { square += items(at + i).toDouble * items(at + i); i += 1 }
    val norm = math.sqrt(square)
    lengths(n) = norm
    val scale = 1 / norm
    i = 0
    while (i < dimension) { items(at + i) = (items(at + i) * scale).toFloat; i += 1 }
    norm > 0
  }

  private def hasNull(lists: FixedSizeListBlock, row: Int): Boolean = lists.itemNulls.hasNulls && {
    val end = (row + 1) * dimension
    var i = row * dimension
    while (i < end && !lists.itemNulls.isNull(i)) i += 1
    i < end
  }

  private def reserve(rows: Int): Unit = if (taken.length < rows) {
    items = new Array[Float](Math.multiplyExact(rows, dimension))
    taken = new Array[Int](rows)
    stored = new Array[Int](rows)
    lengths = new Array[Double](rows)
  }
}

private[build] object VectorBatch {

  /** Returns the vectors of a column: those of all lists, if its rows have lists of vectors. */
  def vectors(column: Column): FixedSizeListBlock = column.values match {
    case vectors: FixedSizeListBlock => vectors
    case lists: ListBlock => vectors(lists.items)
    case other => throw new IllegalStateException(s"vectors in a ${other.getClass}")
  }

  /** A finite double beyond the floats is the last of them, because its vector is one of the index. */
  private def toFloat(number: Double): Float =
    if (math.abs(number) <= Float.MaxValue || number.isInfinite || number.isNaN) number.toFloat
    else if (number > 0) Float.MaxValue
    else Float.MinValue
}
