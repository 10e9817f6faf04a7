package io.sparklance.index.rows

import org.roaringbitmap.RoaringBitmap

import io.sparklance.LanceFormatException
import io.sparklance.data.{RowRange, RowRanges}

/** A set of row ids or row addresses.
  *
  * @param words
  *   the lower 32 bits of the numbers, by their upper 32 bits
  */
final private[index] class IdSet private[rows] (private val words: Map[Long, RoaringBitmap]) {
  def count: Long = words.valuesIterator.map(_.getLongCardinality).sum

  /** Returns the lower halves of the numbers with an upper half. Callers must not change the result. */
  def word(upper: Long): Option[RoaringBitmap] = words.get(upper)

  /** Returns the upper halves. */
  def uppers: Set[Long] = words.keySet

  /** Approximate size in memory. */
  def bytes: Long = words.valuesIterator.map(_.getLongSizeInBytes + 64).sum

  def union(other: IdSet): IdSet =
    new IdSet((words.keySet ++ other.words.keySet).iterator.map { upper =>
      upper -> (word(upper) ++ other.word(upper)).reduce(RoaringBitmap.or(_, _))
    }.toMap)

  def intersect(other: IdSet): IdSet =
    new IdSet(words.flatMap { case (upper, bitmap) =>
      other.word(upper).map(upper -> RoaringBitmap.and(bitmap, _))
    })

  def ranges: RowRanges = RowRanges.of(words.toVector.sortBy(_._1).flatMap { case (upper, bitmap) =>
    IdSet.rangesOf(bitmap).map(_.relativeTo(-(upper << 32)))
  })
}

private[index] object IdSet {
  val empty: IdSet = new IdSet(Map.empty)

  def rangesOf(bitmap: RoaringBitmap): Vector[RowRange] = {
    val out = Vector.newBuilder[RowRange]
    var start = if (bitmap.isEmpty) -1L else bitmap.nextValue(0)
    while (start >= 0) {
      val end = bitmap.nextAbsentValue(start.toInt)
      val until = if (end < 0) 1L << 32 else end
      out += RowRange(start, until)
      start = if (until >> 32 > 0) -1 else bitmap.nextValue(until.toInt)
    }
    out.result()
  }

  /** Returns the number of ranges, or one more than `limit` if there are more. */
  def countRanges(bitmap: RoaringBitmap, limit: Long): Long = {
    var count = 0L
    var start = if (bitmap.isEmpty) -1L else bitmap.nextValue(0)
    while (start >= 0 && count <= limit) {
      count += 1
      val end = bitmap.nextAbsentValue(start.toInt)
      start = if (end < 0 || end >> 32 > 0) -1 else bitmap.nextValue(end.toInt)
    }
    count
  }

  /** Returns the numbers below `end`, which has at most 33 bits. */
  def below(bitmap: RoaringBitmap, end: Long): RoaringBitmap =
    if (bitmap.isEmpty || Integer.toUnsignedLong(bitmap.last()) < end) bitmap
    else RoaringBitmap.and(bitmap, RoaringBitmap.bitmapOfRange(0L, end))

  /** Returns the bitmap of these offsets, which have 32 bits. */
  def bitmapOf(offsets: RowRanges): RoaringBitmap = {
    val bitmap = new RoaringBitmap
    offsets.ranges.foreach(range => bitmap.add(range.start, range.end))
    bitmap
  }
}

/** Collects numbers one by one or by bitmaps. */
final private[index] class IdSetBuilder {
  private val words = scala.collection.mutable.LongMap.empty[RoaringBitmap]

  def add(id: Long): Unit = word(checked(id >>> 32)).add(id.toInt)

  def add(upper: Long, lower: RoaringBitmap): Unit = word(checked(upper)).or(lower)

  def add(numbers: IdSet): Unit = numbers.uppers.foreach(upper => numbers.word(upper).foreach(add(upper, _)))

  def count: Long = words.valuesIterator.map(_.getLongCardinality).sum

  /** Returns the set. The builder must not be used after that. */
  def result: IdSet = new IdSet(words.toMap)

  private def word(upper: Long): RoaringBitmap = words.getOrElseUpdate(upper, new RoaringBitmap)

  /** Row ids and fragment ids are not negative. */
  private def checked(upper: Long): Long =
    if (upper <= Int.MaxValue) upper
    else throw new LanceFormatException(s"an index refers to a row ${upper.toHexString}…")
}
