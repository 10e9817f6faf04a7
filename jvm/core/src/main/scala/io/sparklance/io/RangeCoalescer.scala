package io.sparklance.io

import io.sparklance.data.ByteRange

/** Which reads to make for the byte ranges that somebody wants. Pure.
  *
  * A read costs about as much as the bytes of a small gap, so ranges that lie near each other are fetched as one; a huge
  * range is fetched in parts, which can be under way at the same time.
  */
object RangeCoalescer {

  /** The wanted ranges as groups, by position: within a group no gap is wider than `maxGap`, and a group of more than one
    * member is no longer than `maxLength`.
    */
  def coalesce(wanted: Vector[ByteRange], maxGap: Long, maxLength: Long): Vector[RangeGroup] = {
    val groups = Vector.newBuilder[RangeGroup]
    var open = Option.empty[RangeGroup]
    wanted.indices.sortBy(i => (wanted(i).offset, wanted(i).length)).foreach { i =>
      val range = wanted(i)
      val joined =
        open.map(g => g -> ByteRange(g.range.offset, math.max(g.range.end, range.end) - g.range.offset))
      open = joined match {
        case Some((g, union)) if range.offset - g.range.end <= maxGap && union.length <= maxLength =>
          Some(RangeGroup(union, g.members :+ i))
        case _ =>
          groups ++= open
          Some(RangeGroup(range, Vector(i)))
      }
    }
    (groups ++= open).result()
  }

  /** `range` in parts of at most `maxLength`. */
  def split(range: ByteRange, maxLength: Long): Vector[ByteRange] =
    Iterator
      .iterate(range.offset)(_ + maxLength)
      .takeWhile(_ < range.end)
      .map(from => ByteRange(from, math.min(maxLength, range.end - from)))
      .toVector
}

/** @param members indexes of the wanted ranges that lie in `range` */
final case class RangeGroup(range: ByteRange, members: Vector[Int])
