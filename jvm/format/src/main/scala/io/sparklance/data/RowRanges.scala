package io.sparklance.data

/** A set of rows, or of their addresses: ranges that are not empty, in order, with gaps between them. */
final private[sparklance] case class RowRanges private (ranges: Vector[RowRange]) {
  def isEmpty: Boolean = ranges.isEmpty
  def start: Long = ranges.headOption.fold(0L)(_.start)
  def end: Long = ranges.lastOption.fold(0L)(_.end)

  /** Number of rows. */
  lazy val count: Long = ranges.iterator.map(_.length).sum

  /** Returns the range from the first row to the last. */
  def hull: RowRange = RowRange(start, end)

  def intersect(range: RowRange): RowRanges = if (ranges.size == 1) RowRanges(ranges.head.intersect(range))
  else {
    val from = firstEndingAfter(range.start)
    val cut = ranges.iterator.drop(from).takeWhile(_.start < range.end).map(_.intersect(range))
    new RowRanges(cut.filterNot(_.isEmpty).toVector)
  }

  def intersect(other: RowRanges): RowRanges =
    if (ranges.size > other.ranges.size) other.intersect(this)
    else new RowRanges(ranges.flatMap(other.intersect(_).ranges))

  def contains(row: Long): Boolean = {
    val at = firstEndingAfter(row)
    at < ranges.size && ranges(at).start <= row
  }

  def union(other: RowRanges): RowRanges = RowRanges.of(ranges ++ other.ranges)

  /** Returns all possible rows but these. */
  def complement: RowRanges = {
    val starts = 0L +: ranges.map(_.end)
    val ends = ranges.map(_.start) :+ Long.MaxValue
    RowRanges.of(starts.zip(ends).map { case (from, until) => RowRange(from, until) })
  }

  /** Returns the rows from the `from`-th to before the `until`-th, in order. */
  def slice(from: Long, until: Long): RowRanges = if (from <= 0 && until >= count) this
  else {
    val out = Vector.newBuilder[RowRange]
    var before = 0L
    ranges.foreach { range =>
      val cut = RowRange(from, math.min(until, count)).relativeTo(before - range.start).intersect(range)
      if (!cut.isEmpty) out += cut
      before += range.length
    }
    new RowRanges(out.result())
  }

  /** Returns `n` rows for each of these rows: rows of an inner column. */
  def times(n: Int): RowRanges =
    if (n == 1) this
    else new RowRanges(ranges.map(r =>
      RowRange(Math.multiplyExact(r.start, n.toLong), Math.multiplyExact(r.end, n.toLong))
    ))

  /** Returns these rows and those in gaps of at most `maxGap`. */
  def joined(maxGap: Long): RowRanges =
    if (ranges.size < 2) this
    else {
      val out = Vector.newBuilder[RowRange]
      val last = ranges.tail.foldLeft(ranges.head) { (last, range) =>
        if (range.start - last.end <= maxGap) RowRange(last.start, range.end)
        else {
          out += last
          range
        }
      }
      out += last
      new RowRanges(out.result())
    }

  /** Returns these rows counted from `origin`. */
  def relativeTo(origin: Long): RowRanges =
    if (origin == 0) this else new RowRanges(ranges.map(_.relativeTo(origin)))

  /** Returns the position of the first range that ends after `row`. */
  def firstEndingAfter(row: Long): Int = {
    var low = 0
    var high = ranges.size
    while (low < high) {
      val middle = low + high >>> 1
      if (ranges(middle).end > row) high = middle else low = middle + 1
    }
    low
  }
}

private[sparklance] object RowRanges {
  val empty: RowRanges = new RowRanges(Vector.empty)
  val all: RowRanges = RowRanges(0, Long.MaxValue)

  def apply(range: RowRange): RowRanges = if (range.isEmpty) empty else new RowRanges(Vector(range))
  def apply(start: Long, end: Long): RowRanges = apply(RowRange(start, end))

  /** Returns the union of ranges in any order; they may overlap. */
  def of(ranges: Seq[RowRange]): RowRanges = {
    val out = Vector.newBuilder[RowRange]
    var last = RowRange(0, 0)
    ranges.filterNot(_.isEmpty).sortBy(_.start).foreach { range =>
      if (!last.isEmpty && range.start <= last.end) last = RowRange(last.start, math.max(last.end, range.end))
      else {
        if (!last.isEmpty) out += last
        last = range
      }
    }
    if (!last.isEmpty) out += last
    new RowRanges(out.result())
  }

  /** Returns the set of these rows. */
  def ofRows(rows: Array[Long]): RowRanges = of(rows.toVector.map(row => RowRange(row, row + 1)))
}
