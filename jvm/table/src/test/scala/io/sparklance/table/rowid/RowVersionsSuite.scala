package io.sparklance.table.rowid

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.LanceFormatException
import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.proto.rowids.U64Segment.Segment
import io.sparklance.proto.{rowids => pb}
import io.sparklance.testkit.Hex

class RowVersionsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  private def run(start: Long, end: Long, version: Long): pb.RowDatasetVersionRun =
    pb.RowDatasetVersionRun(Some(pb.U64Segment(Segment.Range(pb.U64Segment.Range(start, end)))), version)

  private def bytes(runs: pb.RowDatasetVersionRun*): Array[Byte] =
    pb.RowDatasetVersionSequence(runs).toByteArray

  test(
    "a sequence of pylance: what a compaction left of six rows of version 1 and two of 2, half of them updated in 3"
  ) {
    val message =
      "0a0a 0a06 0a04 0801 1002 1001 0a0b 0a07 1a05 1003 1a01 05 1001 0a0a 0a06 0a04 0801 1002 1002" +
        "0a08 0a04 0a02 1004 1003"
    val versions = RowVersions.parse(Hex.slice(message).toArray, 8)
    assert((0 to 7).map(i => versions(i.toLong)) == Seq(1, 1, 1, 2, 3, 3, 3, 3))
  }

  test("every row has the version of its run, and is found by it") {
    val run = Gen.zip(Gen.chooseNum(0L, 9L), Gen.chooseNum(0L, 50L), Gen.chooseNum(0L, 6L))
    forAll(Gen.listOf(run)) { runs =>
      val expected = runs.flatMap { case (length, _, version) => Seq.fill(length.toInt)(version) }
      val encoded = bytes(runs.map { case (length, start, version) =>
        this.run(start, start + length, version)
      }: _*)
      val versions = RowVersions.parse(encoded, expected.size.toLong)
      assert(expected.indices.map(i => versions(i.toLong)) == expected)
      val wanted = RowRanges.of(Seq(RowRange(1, 2), RowRange(4, 6)))
      val offsets = versions.offsetsOf(wanted)
      assert(expected.indices.filter(i => offsets.contains(i.toLong)) ==
        expected.indices.filter(i => wanted.contains(expected(i))))
      val half = RowRange(expected.size / 3L, expected.size * 2L / 3)
      val cut = RowVersions.parse(versions.messageOf(half), half.length)
      assert((0L until half.length).map(cut(_)) == expected.slice(half.start.toInt, half.end.toInt))
    }
  }

  test("sequences that contradict themselves, or the fragment, are bad data") {
    def refusal(rows: Long, runs: pb.RowDatasetVersionRun*): String =
      intercept[LanceFormatException](RowVersions.parse(bytes(runs: _*), rows)).reason
    assert(refusal(7, run(0, 6, 1)) == "versions of 6 rows, of a fragment of 7")
    assert(refusal(6, run(0, 4, 1), run(4, 7, 1)) == "versions of 7 rows, of a fragment of 6")
    assert(refusal(6, run(0, 6, -1)) == "rows of version 18446744073709551615 of the table")
    assert(refusal(6, pb.RowDatasetVersionRun()) == "versions of rows without a span")
    assert(refusal(6, run(0, Long.MaxValue, 1), run(0, Long.MaxValue, 1)).startsWith("corrupt data"))
    assert(refusal(6, run(9, 3, 1)) == "row ids from 9 to 3")
    intercept[LanceFormatException](RowVersions.parse(Array[Byte](1, 2, 3), 3))
  }
}
