package io.sparklance.table.rowid

import com.google.protobuf.ByteString
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.proto.rowids.EncodedU64Array.{Array => Words}
import io.sparklance.proto.rowids.U64Segment.Segment
import io.sparklance.proto.{rowids => pb}
import io.sparklance.testkit.Hex

class RowIdEncoderSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private def segment(ids: Long*): Segment =
    pb.RowIdSequence.parseFrom(RowIdEncoder.encode(ids.toArray).newCodedInput()).segments.head.segment

  private def decoded(bytes: ByteString): Seq[Long] = {
    val sequence = RowIdSequence.parse(bytes.toByteArray)
    (0L until sequence.length).map(sequence(_))
  }

  test("the bytes are those of pylance") {
    assert(RowIdEncoder.range(0, 15000) == ByteString.copyFrom(Hex.slice("0a050a03109875").toArray))
    assert(RowIdEncoder.encode(Array(1, 4, 100, 16001)) ==
      ByteString.copyFrom(Hex.slice("0a10 220e 0a0c 0801 1208 0000 0300 6300 803e").toArray))
  }

  test("any ids are read as they were written") {
    val dense = Gen.listOf(Gen.chooseNum(0L, 200L)).map(_.distinct.sorted)
    val ids = Gen.oneOf(
      dense,
      dense.map(_.reverse),
      dense.map(_.map(_ + (1L << 40))),
      Gen.listOf(Gen.chooseNum(0L, Long.MaxValue)),
      Gen.listOf(Gen.chooseNum(0L, 1L << 20)).map(_.distinct.sorted)
    )
    forAll(ids)(list => assert(decoded(RowIdEncoder.encode(list.toArray)) == list))
  }

  test("the largest id, and ids far apart, are read as they were written") {
    val farApart =
      Seq(Seq(0L, Long.MaxValue), Seq(0L, 3758439379255263932L), Seq(0L, 1L << 61, Long.MaxValue - 1))
    for (ids <- Seq(Seq(Long.MaxValue), Seq(Long.MaxValue - 1, Long.MaxValue)) ++ farApart)
      assert(decoded(RowIdEncoder.encode(ids.toArray)) == ids)
  }

  test("the kind of a segment is that which takes the fewest bytes") {
    assert(segment(5, 6, 7).isRange && segment(9).isRange)
    assert(segment((0L to 100L).filter(_ != 50): _*).isRangeWithHoles)
    assert(segment(5, 8, 10, 11).isRangeWithBitmap)
    assert(segment(1, 4, 100, 16001).isSortedArray)
    assert(segment(3, 2, 1).isArray)
    val bitmap = segment(5, 8, 10, 11).rangeWithBitmap.get.bitmap
    assert(bitmap.toByteArray.toSeq == Seq(0x69.toByte))
  }

  test("numbers of an array are as wide as they must be") {
    def words(ids: Long*) = segment(ids: _*).array.get.array
    assert(words(70000, 4465).isInstanceOf[Words.U16Array])
    assert(words(70001, 4465).isInstanceOf[Words.U32Array])
    assert(words(0xffffffffL, 0).isInstanceOf[Words.U32Array])
    assert(words(0x100000000L, 0).isInstanceOf[Words.U64Array])
  }

  test("versions of rows are runs") {
    val versions =
      Gen.listOf(Gen.zip(Gen.chooseNum(1, 5), Gen.chooseNum(1L, 3L))).map(_.flatMap { case (n, v) =>
        Seq.fill(n)(v)
      })
    forAll(versions) { list =>
      val read = RowVersions.parse(RowVersionEncoder.encode(list.toArray).toByteArray, list.size.toLong)
      assert(list.indices.map(i => read(i.toLong)) == list)
    }
    val runs =
      pb.RowDatasetVersionSequence.parseFrom(RowVersionEncoder.encode(Array(2, 2, 7)).toByteArray).runs
    assert(runs.map(_.version) == Seq(2, 7))
    assert(RowVersionEncoder.uniform(3, 9) == RowVersionEncoder.encode(Array(9, 9, 9)))
  }
}
