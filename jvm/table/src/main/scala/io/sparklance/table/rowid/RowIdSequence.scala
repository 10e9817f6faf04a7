package io.sparklance.table.rowid

import java.util.Arrays

import com.google.protobuf.ByteString

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.proto.{rowids => pb}
import io.sparklance.{LanceFormatException, Location, ProtoBytes}

/** The stable row ids of a fragment, one for each row, deleted ones included: the message `RowIdSequence`.
  * Its segments are read one after the other:
  * {{{
  * range              start, end                  all numbers from start on, before end
  * range_with_holes   start, end, holes           the range without the holes, which ascend
  * range_with_bitmap  start, end, bits            start + i for each bit i that is set, counted from the lowest of byte 0
  * sorted_array       base, u16 | u32 | u64 ...   base + each, ascending
  * array              as sorted_array             in any order
  * }}}
  */
final private[sparklance] class RowIdSequence private (segments: Vector[Segment]) extends RowNumbers {
  private val starts = segments.scanLeft(0L)((sum, segment) => Math.addExact(sum, segment.length)).toArray

  def length: Long = starts.last

  def apply(offset: Long): Long = {
    val found = Arrays.binarySearch(starts, offset)
    // Empty segments start where others do; the last match is not empty.
    var at = if (found >= 0) found else -found - 2
    while (starts(at + 1) <= offset) at += 1
    segments(at)(offset - starts(at))
  }

  /** Returns ranges of numbers, which may overlap, with all ids. Other numbers may be in them. */
  def spans: Vector[RowRange] = segments.filter(_.length > 0).map(_.span)

  def offsetsOf(ids: RowRanges): RowRanges = RowRanges.of(segments.zip(starts).flatMap {
    case (segment, start) =>
      segment.positionsOf(ids).map(_.relativeTo(-start))
  })

  /** Returns the offset of an id, or -1. */
  def offsetOf(id: Long): Long = {
    var found = -1L
    var i = 0
    while (found < 0 && i < segments.length) {
      val position = segments(i).positionOf(id)
      if (position >= 0) found = starts(i) + position
      i += 1
    }
    found
  }

  /** Approximate bytes in memory. */
  def weight: Long = 64 + segments.iterator.map(_.weight).sum

  def messageOf(rows: RowRange): Array[Byte] = {
    val cut = segments.zip(starts).flatMap { case (segment, start) =>
      val part = rows.relativeTo(start).intersect(RowRange(0, segment.length))
      Option.unless(part.isEmpty)(segment.slice(part))
    }
    pb.RowIdSequence(cut).toByteArray
  }
}

private[sparklance] object RowIdSequence {
  val empty: RowIdSequence = new RowIdSequence(Vector.empty)

  /** @param rows expected number of rows */
  def parse(bytes: Array[Byte], rows: Long): RowIdSequence =
    LanceFormatException.locating(Location()) {
      val sequence = parse(bytes)
      if (sequence.length != rows)
        throw new LanceFormatException(s"${sequence.length} row ids of a fragment of $rows rows")
      sequence
    }

  /** Parses any number of ids: a transaction's new fragment may end with rows that have none yet. */
  def parse(bytes: Array[Byte]): RowIdSequence =
    LanceFormatException.locating(Location()) {
      val message = ProtoBytes.parse(pb.RowIdSequence, bytes, "the row ids")
      new RowIdSequence(message.segments.iterator.map(Segment.of).toVector)
    }
}

/** A part of a sequence. */
sealed private[rowid] trait Segment {
  def length: Long

  /** Returns a range with all ids of a segment that is not empty. */
  def span: RowRange

  /** Returns the id at a position of the segment. */
  def apply(i: Long): Long

  /** Returns the ids at a non-empty range of positions. */
  def slice(positions: RowRange): pb.U64Segment

  /** Returns the position of an id, or -1. */
  def positionOf(id: Long): Long

  /** Approximate bytes in memory. */
  def weight: Long

  /** Returns the positions of ids. */
  def positionsOf(ids: RowRanges): Vector[RowRange] = {
    val found = Vector.newBuilder[RowRange]
    var i = 0L
    while (i < length) {
      if (ids.contains(apply(i))) found += RowRange(i, i + 1)
      i += 1
    }
    found.result()
  }
}

private[rowid] object Segment {
  def of(message: pb.U64Segment): Segment = message.segment match {
    case pb.U64Segment.Segment.Range(range) => new Span(range.start, span(range.start, range.end))
    case pb.U64Segment.Segment.RangeWithHoles(range) =>
      new SpanWithHoles(range.start, span(range.start, range.end), array(range.getHoles))
    case pb.U64Segment.Segment.RangeWithBitmap(range) =>
      new SpanWithBitmap(range.start, span(range.start, range.end), range.bitmap.toByteArray)
    case pb.U64Segment.Segment.SortedArray(numbers) => new Numbers(array(numbers))
    case pb.U64Segment.Segment.Array(numbers) => new Numbers(array(numbers))
    case pb.U64Segment.Segment.Empty => throw new LanceFormatException("row ids of an unknown kind")
  }

  private def span(start: Long, end: Long): Long =
    if (start < 0 || end < start)
      throw new LanceFormatException(
        s"row ids from ${java.lang.Long.toUnsignedString(start)} to ${java.lang.Long.toUnsignedString(end)}"
      )
    else end - start

  private def array(message: pb.EncodedU64Array): Array[Long] = message.array match {
    case pb.EncodedU64Array.Array.U16Array(a) => words(a.base, a.offsets, 2)
    case pb.EncodedU64Array.Array.U32Array(a) => words(a.base, a.offsets, 4)
    case pb.EncodedU64Array.Array.U64Array(a) => words(0, a.values, 8)
    case pb.EncodedU64Array.Array.Empty => throw new LanceFormatException("row ids of an unknown width")
  }

  private def words(base: Long, bytes: ByteString, width: Int): Array[Long] = {
    if (bytes.size % width != 0)
      throw new LanceFormatException(s"${bytes.size} bytes of row ids of $width bytes")
    val buffer = bytes.asReadOnlyByteBuffer.order(java.nio.ByteOrder.LITTLE_ENDIAN)
    val numbers = Array.tabulate(bytes.size / width) { i =>
      width match {
        case 2 => base + (buffer.getShort(2 * i) & 0xffffL)
        case 4 => base + (buffer.getInt(4 * i) & 0xffffffffL)
        case _ => buffer.getLong(8 * i)
      }
    }
    numbers.find(_ < 0).foreach { n =>
      throw new LanceFormatException(s"row id ${java.lang.Long.toUnsignedString(n)}")
    }
    numbers
  }
}

final private class Span(start: Long, val length: Long) extends Segment {
  def span: RowRange = RowRange(start, start + length)
  def apply(i: Long): Long = start + i
  def positionOf(id: Long): Long = if (id >= start && id - start < length) id - start else -1
  def weight: Long = 40

  def slice(positions: RowRange): pb.U64Segment =
    pb.U64Segment(
      pb.U64Segment.Segment.Range(pb.U64Segment.Range(start + positions.start, start + positions.end))
    )

  override def positionsOf(ids: RowRanges): Vector[RowRange] =
    ids.intersect(RowRange(start, start + length)).relativeTo(start).ranges
}

final private class SpanWithHoles(start: Long, width: Long, holes: Array[Long]) extends Segment {
  if (
    holes.indices.exists(i =>
      holes(i) < start || holes(i) - start >= width || i > 0 && holes(i) <= holes(i - 1)
    )
  ) throw new LanceFormatException(s"holes in row ids that are not in order, or not among them")

  val length: Long = width - holes.length
  def span: RowRange = RowRange(start, start + width)

  def apply(i: Long): Long = {
    // Binary search for the number of holes before the id.
    var low = 0
    var high = holes.length
    while (low < high) {
      val middle = low + high >>> 1
      if (holes(middle) - start - middle > i) high = middle else low = middle + 1
    }
    start + i + low
  }

  def slice(positions: RowRange): pb.U64Segment = {
    val (first, end) = (apply(positions.start), apply(positions.end - 1) + 1)
    val within = Arrays.copyOfRange(holes, holesBefore(first), holesBefore(end))
    val left = RowIdEncoder.array(within)
    pb.U64Segment(
      pb.U64Segment.Segment.RangeWithHoles(pb.U64Segment.RangeWithHoles(first, end, Some(left)))
    )
  }

  def positionOf(id: Long): Long = {
    val hole = Arrays.binarySearch(holes, id)
    if (id < start || id - start >= width || hole >= 0) -1 else id - start - (-hole - 1)
  }
  def weight: Long = 56 + 8L * holes.length

  /** Adjacent ids have adjacent positions, apart from holes between them. */
  override def positionsOf(ids: RowRanges): Vector[RowRange] =
    ids.intersect(span).ranges.map { range =>
      RowRange(idsBefore(range.start), idsBefore(range.end))
    }

  private def idsBefore(number: Long): Long = number - start - holesBefore(number)

  private def holesBefore(number: Long): Int = {
    val found = Arrays.binarySearch(holes, number)
    if (found >= 0) found else -found - 1
  }
}

final private class SpanWithBitmap(start: Long, width: Long, bitmap: Array[Byte]) extends Segment {
  if (bitmap.length != (width + 7) / 8 || width % 8 != 0 && (bitmap.last & 0xff) >>> (width % 8).toInt != 0)
    throw new LanceFormatException(s"a bitmap of ${bitmap.length} bytes for $width row ids")

  def span: RowRange = RowRange(start, start + width)

  /** Number of bits set before each byte, and in all. */
  private val before = bitmap.scanLeft(0)((sum, byte) => sum + Integer.bitCount(byte & 0xff))

  val length: Long = before.last.toLong

  def apply(i: Long): Long = {
    var low = 0
    var high = bitmap.length - 1
    while (low < high) {
      val middle = low + high + 1 >>> 1
      if (before(middle) <= i) low = middle else high = middle - 1
    }
    var bits = bitmap(low) & 0xff
    var left = i - before(low)
    while (left > 0) {
      bits &= bits - 1
      left -= 1
    }
    start + 8L * low + Integer.numberOfTrailingZeros(bits)
  }

  def positionOf(id: Long): Long =
    if (id < start || id - start >= width) -1
    else {
      val (at, bit) = ((id - start >> 3).toInt, (id - start & 7).toInt)
      if ((bitmap(at) >>> bit & 1) == 0) -1
      else before(at).toLong + Integer.bitCount(bitmap(at) & ((1 << bit) - 1))
    }
  def weight: Long = 56 + 5L * bitmap.length

  def slice(positions: RowRange): pb.U64Segment = {
    val (first, end) = (apply(positions.start), apply(positions.end - 1) + 1)
    val bits = new Array[Byte](((end - first + 7) / 8).toInt)
    var i = positions.start
    while (i < positions.end) {
      val bit = apply(i) - first
      bits((bit / 8).toInt) = (bits((bit / 8).toInt) | 1 << (bit % 8).toInt).toByte
      i += 1
    }
    val range = pb.U64Segment.RangeWithBitmap(first, end, ByteString.copyFrom(bits))
    pb.U64Segment(pb.U64Segment.Segment.RangeWithBitmap(range))
  }
}

final private class Numbers(numbers: Array[Long]) extends Segment {
  def length: Long = numbers.length.toLong
  def span: RowRange = RowRange(numbers.min, math.min(numbers.max, Long.MaxValue - 1) + 1)
  def apply(i: Long): Long = numbers(i.toInt)

  /** Ids in their order, each with its position. Built for the first id that is asked for. */
  private lazy val (sorted, positions): (Array[Long], Array[Int]) = {
    val sorted = numbers.clone
    Arrays.sort(sorted)
    val positions = new Array[Int](numbers.length)
    numbers.indices.foreach(i => positions(Arrays.binarySearch(sorted, numbers(i))) = i)
    (sorted, positions)
  }

  def positionOf(id: Long): Long = {
    val at = Arrays.binarySearch(sorted, id)
    if (at < 0) -1 else positions(at).toLong
  }
  def weight: Long = 72 + 20L * numbers.length

  def slice(positions: RowRange): pb.U64Segment = {
    val cut = Arrays.copyOfRange(numbers, positions.start.toInt, positions.end.toInt)
    pb.U64Segment(pb.U64Segment.Segment.Array(RowIdEncoder.array(cut)))
  }
}
