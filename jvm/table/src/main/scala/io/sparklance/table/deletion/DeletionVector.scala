package io.sparklance.table.deletion

import java.nio.ByteBuffer

import org.roaringbitmap.RoaringBitmap

import io.sparklance.data.{RowRange, RowRanges}

/** The deleted rows of a fragment, by their physical offsets: 32 bits, unsigned. */
final private[sparklance] class DeletionVector private[deletion] (
    private[deletion] val bitmap: RoaringBitmap
) {

  /** Number of deleted rows. */
  def cardinality: Long = bitmap.getLongCardinality

  def isDeleted(row: Long): Boolean = row >= 0 && row <= 0xffffffffL && bitmap.contains(row.toInt)

  /** Number of deleted rows among `rows`. */
  def deletedIn(rows: RowRange): Long = bitmap.rangeCardinality(rows.start, rows.end)

  /** Number of deleted rows among the rows of a bitmap. */
  private[sparklance] def deletedAmong(rows: RoaringBitmap): Long =
    RoaringBitmap.andCardinality(bitmap, rows).toLong

  /** Returns the union. */
  def union(other: DeletionVector): DeletionVector =
    new DeletionVector(RoaringBitmap.or(bitmap, other.bitmap))

  /** Returns the rows that are not in `other`. */
  def minus(other: DeletionVector): DeletionVector =
    new DeletionVector(RoaringBitmap.andNot(bitmap, other.bitmap))

  /** Whether it contains all rows of `other`. */
  def covers(other: DeletionVector): Boolean = bitmap.contains(other.bitmap)

  /** Whether the two have a row in common. */
  def intersects(other: DeletionVector): Boolean = RoaringBitmap.intersects(bitmap, other.bitmap)

  override def equals(other: Any): Boolean = other match {
    case vector: DeletionVector => bitmap == vector.bitmap
    case _ => false
  }
  override def hashCode: Int = bitmap.hashCode

  /** Serializes the rows compactly, for [[DeletionVector.unpacked]]. Not a form of deletion files. */
  def packed: Array[Byte] = {
    val runs = bitmap.clone()
    val _ = runs.runOptimize()
    val bytes = ByteBuffer.allocate(runs.serializedSizeInBytes)
    runs.serialize(bytes)
    bytes.array
  }

  /** Returns the deleted rows. */
  private[sparklance] def rows: RowRanges = {
    val ranges = Vector.newBuilder[RowRange]
    val deleted = bitmap.getIntIterator
    var (start, end) = (0L, 0L)
    while (deleted.hasNext) {
      val row = Integer.toUnsignedLong(deleted.next())
      if (row != end) {
        if (end > start) ranges += RowRange(start, end)
        start = row
      }
      end = row + 1
    }
    if (end > start) ranges += RowRange(start, end)
    RowRanges.of(ranges.result())
  }

  /** The highest deleted offset; -1 if there is none. */
  def last: Long = if (bitmap.isEmpty) -1 else Integer.toUnsignedLong(bitmap.last())

  /** Writes the positions of the live rows of `[firstRow, firstRow + count)`, counted from `firstRow`, to
    * `out`. Returns their number.
    */
  def livePositions(firstRow: Long, count: Int, out: Array[Int]): Int = {
    require(firstRow >= 0 && count >= 0 && firstRow + count <= (1L << 32), s"$count rows from $firstRow")
    val deleted = bitmap.getIntIterator
    deleted.advanceIfNeeded(firstRow.toInt)
    var live = 0
    var position = 0
    while (position < count) {
      val next = if (deleted.hasNext) Integer.toUnsignedLong(deleted.next()) - firstRow else count.toLong
      val end = math.min(next, count.toLong).toInt
      while (position < end) {
        out(live) = position
        live += 1
        position += 1
      }
      position += 1
    }
    live
  }
}

private[sparklance] object DeletionVector {
  val empty: DeletionVector = of(RowRanges.empty)

  def of(rows: RowRanges): DeletionVector = {
    val bitmap = new RoaringBitmap
    rows.ranges.foreach { range =>
      require(range.start >= 0 && range.end <= (1L << 32), s"rows $range of a fragment")
      bitmap.add(range.start, range.end)
    }
    new DeletionVector(bitmap)
  }

  /** Deserializes the result of [[packed]]. */
  def unpacked(bytes: Array[Byte]): DeletionVector = {
    val bitmap = new RoaringBitmap
    bitmap.deserialize(ByteBuffer.wrap(bytes))
    new DeletionVector(bitmap)
  }
}

/** Collects rows of a fragment one by one. */
final private[sparklance] class DeletionVectorBuilder {
  private val bitmap = new RoaringBitmap

  /** Adds a row of 32 bits. Returns whether it is new. */
  def add(row: Long): Boolean = bitmap.checkedAdd(row.toInt)

  def result: DeletionVector = new DeletionVector(bitmap.clone())
}
