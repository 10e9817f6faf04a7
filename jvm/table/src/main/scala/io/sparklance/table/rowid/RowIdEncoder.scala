package io.sparklance.table.rowid

import com.google.protobuf.ByteString

import io.sparklance.data.LittleEndian
import io.sparklance.proto.{rowids => pb}

/** Encodes row ids for [[RowIdSequence]]: each sequence as one segment, of the kind that pylance would
  * choose.
  */
private[sparklance] object RowIdEncoder {

  /** Overhead of a segment in bytes. */
  final private val Overhead = 24L

  def range(start: Long, count: Long): ByteString = encode(rangeOf(start, start + count))

  def encode(ids: Array[Long]): ByteString =
    if (ids.isEmpty) range(0, 0)
    // The end of a range is one more than its last id, which Long.MaxValue has no room for.
    else if (ascends(ids) && ids.last != Long.MaxValue) encode(sorted(ids))
    else encode(pb.U64Segment(pb.U64Segment.Segment.Array(array(ids))))

  /** Encodes ids in any order. */
  private[rowid] def array(ids: Array[Long]): pb.EncodedU64Array =
    if (ids.isEmpty) numbers(ids, 0, 0) else numbers(ids, ids.min, ids.max)

  private def encode(segment: pb.U64Segment): ByteString = pb.RowIdSequence(Seq(segment)).toByteString

  private def rangeOf(start: Long, end: Long): pb.U64Segment =
    pb.U64Segment(pb.U64Segment.Segment.Range(pb.U64Segment.Range(start, end)))

  private def sorted(ids: Array[Long]): pb.U64Segment = {
    val (start, end) = (ids.head, ids.last + 1)
    val span = end - start
    val holes = span - ids.length
    // Ids may be so far apart that a sum or product overflows.
    val asHoles = if (holes > Int.MaxValue) Long.MaxValue else Overhead + 4 * holes
    val asBitmap = Overhead + (span - 1) / 8 + 1
    val asArray = Overhead + 2L * ids.length
    if (holes == 0) rangeOf(start, end)
    else if (asHoles <= asBitmap && asHoles <= asArray) {
      val left = holesIn(ids, holes.toInt)
      val array = numbers(left, left.head, left.last)
      pb.U64Segment(
        pb.U64Segment.Segment.RangeWithHoles(pb.U64Segment.RangeWithHoles(start, end, Some(array)))
      )
    } else if (asBitmap <= asArray) {
      val bitmap = ByteString.copyFrom(bits(ids, span.toInt))
      pb.U64Segment(
        pb.U64Segment.Segment.RangeWithBitmap(pb.U64Segment.RangeWithBitmap(start, end, bitmap))
      )
    } else pb.U64Segment(pb.U64Segment.Segment.SortedArray(numbers(ids, ids.head, ids.last)))
  }

  private def ascends(ids: Array[Long]): Boolean = {
    var i = 1
    while (i < ids.length && ids(i - 1) < ids(i)) i += 1
    i >= ids.length
  }

  private def holesIn(ids: Array[Long], count: Int): Array[Long] = {
    val holes = new Array[Long](count)
    var n = 0
    var i = 1
    while (i < ids.length) {
      var id = ids(i - 1) + 1
      while (id < ids(i)) {
        holes(n) = id
        n += 1
        id += 1
      }
      i += 1
    }
    holes
  }

  private def bits(ids: Array[Long], span: Int): Array[Byte] = {
    val bytes = new Array[Byte]((span + 7) / 8)
    var i = 0
    while (i < ids.length) {
      val bit = (ids(i) - ids(0)).toInt
      bytes(bit / 8) = (bytes(bit / 8) | 1 << bit % 8).toByte
      i += 1
    }
    bytes
  }

  private def numbers(ids: Array[Long], min: Long, max: Long): pb.EncodedU64Array = {
    import pb.EncodedU64Array.Array.{U16Array, U32Array, U64Array}
    val array =
      if (max - min <= 0xffffL) U16Array(pb.EncodedU64Array.U16Array(min, words(ids, min, 2)))
      else if (max - min <= 0xffffffffL) U32Array(pb.EncodedU64Array.U32Array(min, words(ids, min, 4)))
      else U64Array(pb.EncodedU64Array.U64Array(words(ids, 0, 8)))
    pb.EncodedU64Array(array)
  }

  private def words(ids: Array[Long], base: Long, width: Int): ByteString = {
    val bytes = new Array[Byte](ids.length * width)
    var i = 0
    while (i < ids.length) {
      val value = ids(i) - base
      if (width == 2) LittleEndian.putShort(bytes, i * 2, value.toShort)
      else if (width == 4) LittleEndian.putInt(bytes, i * 4, value.toInt)
      else LittleEndian.putLong(bytes, i * 8, value)
      i += 1
    }
    ByteString.copyFrom(bytes)
  }
}
