package io.sparklance.table.rowid

import com.google.protobuf.ByteString
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.LanceFormatException
import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.proto.rowids.U64Segment.Segment
import io.sparklance.proto.{rowids => pb}
import io.sparklance.testkit.Hex

class RowIdSequenceSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private def ids(bytes: Array[Byte], rows: Int): Seq[Long] = {
    val sequence = RowIdSequence.parse(bytes, rows.toLong)
    (0 until rows).map(i => sequence(i.toLong))
  }

  private def bytes(segments: Segment*): Array[Byte] =
    pb.RowIdSequence(segments.map(pb.U64Segment(_))).toByteArray

  private def words(width: Int, values: Seq[Long]): ByteString = {
    val buffer = java.nio.ByteBuffer.allocate(width * values.size).order(java.nio.ByteOrder.LITTLE_ENDIAN)
    values.foreach { v =>
      width match {
        case 2 => buffer.putShort(v.toShort)
        case 4 => buffer.putInt(v.toInt)
        case _ => buffer.putLong(v)
      }
    }
    ByteString.copyFrom(buffer.array)
  }

  private def array(base: Long, values: Seq[Long], width: Int): pb.EncodedU64Array = {
    val offsets = words(width, values.map(_ - (if (width == 8) 0 else base)))
    width match {
      case 2 => pb.EncodedU64Array().withU16Array(pb.EncodedU64Array.U16Array(base, offsets))
      case 4 => pb.EncodedU64Array().withU32Array(pb.EncodedU64Array.U32Array(base, offsets))
      case _ => pb.EncodedU64Array().withU64Array(pb.EncodedU64Array.U64Array(offsets))
    }
  }

  test("sequences of pylance: all rows of a new table, and what a compaction left of one") {
    assert(ids(Hex.slice("0a050a03109875").toArray, 15000) == (0L until 15000L))
    assert(ids(Hex.slice("0a10 220e 0a0c 0801 1208 0000 0300 6300 803e").toArray, 4) ==
      Seq(1L, 4L, 100L, 16001L))
  }

  test("offsets have no sign: the greatest of 16 and of 32 bits") {
    for ((width, greatest) <- Seq(2 -> 0xffffL, 4 -> 0xffffffffL)) {
      val values = Seq(0L, greatest / 2, greatest / 2 + 1, greatest).map(_ + 7)
      assert(ids(bytes(Segment.SortedArray(array(7, values, width))), 4) == values)
      val end = values.last + 2
      val holes = Segment.RangeWithHoles(pb.U64Segment.RangeWithHoles(
        values(3) - 1,
        end,
        Some(array(7, values.drop(3), width))
      ))
      assert(ids(bytes(holes), 2) == Seq(values(3) - 1, values(3) + 1))
    }
  }

  test("segments of every kind are the ids that they were made of, one after the other") {
    val present = Gen.zip(Gen.chooseNum(0L, 1000L), Gen.listOf(Gen.oneOf(true, false)))
    val segment: Gen[(Segment, Seq[Long])] = Gen.zip(present, Gen.chooseNum(0, 4)).flatMap {
      case ((start, in), kind) =>
        val ids = in.zipWithIndex.collect { case (true, i) => start + i }
        val out = in.zipWithIndex.collect { case (false, i) => start + i }
        val end = start + in.size
        Gen.oneOf(2, 4, 8).map { width =>
          kind match {
            case 0 => (Segment.Range(pb.U64Segment.Range(start, end)), start until end)
            case 1 =>
              (
                Segment.RangeWithHoles(pb.U64Segment.RangeWithHoles(
                  start,
                  end,
                  Some(array(start, out, width))
                )),
                ids
              )
            case 2 =>
              val bitmap = in.grouped(8).map(_.zipWithIndex.collect { case (true, i) =>
                1 << i
              }.sum.toByte).toArray
              (
                Segment.RangeWithBitmap(pb.U64Segment.RangeWithBitmap(
                  start,
                  end,
                  ByteString.copyFrom(bitmap)
                )),
                ids
              )
            case 3 => (Segment.SortedArray(array(start, ids, width)), ids)
            case _ => (Segment.Array(array(start, ids.reverse, width)), ids.reverse)
          }
        }
    }
    forAll(Gen.listOf(segment)) { segments =>
      val expected = segments.flatMap(_._2)
      val encoded = bytes(segments.map(_._1): _*)
      assert(ids(encoded, expected.size) == expected)
      val wanted = RowRanges.of(Seq(RowRange(3, 50), RowRange(400, 700)))
      val offsets = RowIdSequence.parse(encoded, expected.size.toLong).offsetsOf(wanted)
      assert(expected.indices.filter(i => offsets.contains(i.toLong)) ==
        expected.indices.filter(i => wanted.contains(expected(i))))
    }
    forAll(segment) { case (one, expected) =>
      val sequence = RowIdSequence.parse(bytes(one))
      expected.indices.foreach(i => assert(sequence.offsetOf(expected(i)) == i))
      val others = (-2L to 1002L).filterNot(expected.toSet)
      others.foreach(id => assert(sequence.offsetOf(id) == -1, id))
    }
    forAll(Gen.listOf(segment), Gen.chooseNum(0, 40), Gen.chooseNum(0, 40)) { (segments, from, count) =>
      val expected = segments.flatMap(_._2).slice(from, from + count)
      val all = RowIdSequence.parse(bytes(segments.map(_._1): _*))
      val cut = all.messageOf(RowRange(from.toLong, math.min(all.length, from + count.toLong)))
      assert(ids(cut, expected.size) == expected)
    }
  }

  test("rows are found among any number of them, also where some ids are missing") {
    val end = 1L << 50
    val holes = Some(array(0, Seq(3, 4, end - 2), 8))
    val sequence =
      RowIdSequence.parse(bytes(Segment.RangeWithHoles(pb.U64Segment.RangeWithHoles(0, end, holes))), end - 3)
    val wanted = RowRanges.of(Seq(RowRange(2, 4), RowRange(6, 7), RowRange(end - 3, end)))
    assert(sequence.offsetsOf(wanted).ranges ==
      Seq(RowRange(2, 3), RowRange(4, 5), RowRange(end - 5, end - 3)))
  }

  test("sequences that contradict themselves, or the fragment, are bad data") {
    def refusal(rows: Int, segments: Segment*): String =
      intercept[LanceFormatException](RowIdSequence.parse(bytes(segments: _*), rows.toLong)).reason
    val range = Segment.Range(pb.U64Segment.Range(3, 9))
    assert(refusal(7, range) == "6 row ids of a fragment of 7 rows")
    assert(refusal(6, Segment.Range(pb.U64Segment.Range(9, 3))) == "row ids from 9 to 3")
    assert(refusal(6, Segment.Range(pb.U64Segment.Range(-1, 3))) == "row ids from 18446744073709551615 to 3")
    val far = Segment.Range(pb.U64Segment.Range(0, Long.MaxValue))
    assert(refusal(6, far, far).startsWith("corrupt data"))
    for (holes <- Seq(Seq(2L), Seq(9L), Seq(5L, 5L), Seq(6L, 5L))) {
      val segment = pb.U64Segment.RangeWithHoles(3, 9, Some(array(0, holes, 8)))
      assert(refusal(5, Segment.RangeWithHoles(segment)).startsWith("holes in row ids"))
    }
    for (bitmap <- Seq(Seq(1, 0), Seq(0x40), Seq.empty)) {
      val bits = ByteString.copyFrom(bitmap.map(_.toByte).toArray)
      val segment = pb.U64Segment.RangeWithBitmap(3, 9, bits)
      assert(refusal(1, Segment.RangeWithBitmap(segment)).startsWith("a bitmap of"))
    }
    val odd = pb.EncodedU64Array().withU32Array(pb.EncodedU64Array.U32Array(
      0,
      ByteString.copyFrom(new Array[Byte](6))
    ))
    assert(refusal(1, Segment.Array(odd)) == "6 bytes of row ids of 4 bytes")
    assert(refusal(1, Segment.Array(array(0, Seq(-1), 8))) == "row id 18446744073709551615")
    assert(refusal(1, Segment.Empty) == "row ids of an unknown kind")
    assert(refusal(1, Segment.Array(pb.EncodedU64Array())) == "row ids of an unknown width")
  }
}
