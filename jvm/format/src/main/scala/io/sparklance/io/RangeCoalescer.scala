package io.sparklance.io

import io.sparklance.data.ByteRange

/** Plans reads for wanted byte ranges. Pure.
  *
  * A request costs about as much as the bytes of a small gap, so near ranges are fetched as one; a huge range
  * is fetched in parts, which can run at the same time.
  */
private[sparklance] object RangeCoalescer {

  /** Groups the wanted ranges by position. No gap within a group is wider than `maxGap`, and a group of
    * several members is at most `maxLength` long.
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

  /** Splits `range` into parts of at most `maxLength`. */
  def split(range: ByteRange, maxLength: Long): Vector[ByteRange] =
    Iterator
      .iterate(range.offset)(_ + maxLength)
      .takeWhile(_ < range.end)
      .map(from => ByteRange(from, math.min(maxLength, range.end - from)))
      .toVector
}

/** Near ranges that are read by one request.
  *
  * @param members
  *   indexes of the wanted ranges that lie in `range`
  */
final private[sparklance] case class RangeGroup(range: ByteRange, members: Vector[Int])
