package io.sparklance.data

/** Rows `[start, end)`. */
final private[sparklance] case class RowRange(start: Long, end: Long) {
  def length: Long = end - start
  def isEmpty: Boolean = end <= start

  def intersect(other: RowRange): RowRange = RowRange(math.max(start, other.start), math.min(end, other.end))

  /** Returns these rows counted from `origin`. */
  def relativeTo(origin: Long): RowRange = RowRange(start - origin, end - origin)
}
