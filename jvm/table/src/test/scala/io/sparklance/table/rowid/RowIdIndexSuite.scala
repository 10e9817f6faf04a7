package io.sparklance.table.rowid

import java.util.UUID

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.proto.{table => pb}
import io.sparklance.table.Manifest

class RowIdIndexSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private def parsed(ids: Seq[Long]): RowIdSequence =
    RowIdSequence.parse(RowIdEncoder.encode(ids.toArray).toByteArray)

  private val runs: Gen[Seq[Long]] =
    Gen.zip(Gen.chooseNum(0L, 500L), Gen.chooseNum(0L, 40L)).map { case (from, rows) =>
      from until from + rows
    }
  private val scattered: Gen[Seq[Long]] = Gen.listOf(Gen.chooseNum(0L, 500L)).map(_.distinct)

  test("all fragments that have an id are found, in their order, and those of other runs are not") {
    val ranges = Gen.listOf(Gen.zip(Gen.chooseNum(0L, 510L), Gen.chooseNum(0L, 30L)))
    forAll(Gen.listOf(Gen.oneOf(runs, scattered)), ranges) { (fragments, wanted) =>
      val ids = RowRanges.of(wanted.map { case (from, rows) => RowRange(from, from + rows) })
      val found = RowIdIndex.of(fragments.iterator.map(parsed)).owners(ids).toSeq
      val holders = fragments.indices.filter(i => fragments(i).exists(ids.contains))
      assert(found == found.sorted && holders.forall(found.contains))
      val near = fragments.indices.filter { i =>
        fragments(i).nonEmpty && !ids.intersect(RowRange(fragments(i).min, fragments(i).max + 1)).isEmpty
      }
      assert(found.forall(near.contains))
      val index = RowIdIndex.of(fragments.iterator.map(parsed))
      ids.ranges.map(_.start).foreach { id =>
        val first = index.firstOf(id)(i => if (fragments(i).contains(id)) i.toLong else -1)
        val holder = fragments.indexWhere(_.contains(id))
        assert(if (holder < 0) first == -1 else fragments(first.toInt).contains(id))
      }
    }
  }

  test("of a hundred thousand fragments, one id concerns one, and all concern all") {
    val index = RowIdIndex.of(Iterator.tabulate(100000)(i => parsed((i * 3L) until (i * 3L + 3))))
    assert(index.owners(RowRanges.ofRows(Array(0L, 7L, 299999L))).toSeq == Seq(0, 2, 99999))
    assert(index.owners(RowRanges.all).length == 100000)
    assert(index.owners(RowRanges.ofRows(Array(300000L))).isEmpty)
    assert(index.weight < (8L << 20))
  }

  test(
    "the index of a version is built once, also if the manifest is read again, and another version has its own"
  ) {
    def manifest(next: Long): Manifest = {
      val fragments = Vector.tabulate(5) { i =>
        val ids = if (i == 4) next else i * 10L
        pb.DataFragment(id = i.toLong, physicalRows = 10).withInlineRowIds(RowIdEncoder.range(ids, 10))
      }
      Manifest(pb.Manifest(version = 1, fragments = fragments, transactionFile = name))
    }
    lazy val name = UUID.randomUUID().toString
    var parsed = 0
    def owners(of: Manifest, id: Long): Seq[Int] = RowIdIndices.of(of)(of.fragments.iterator.map { fragment =>
      parsed += 1
      RowIdSequence.parse(fragment.rowIds.fold(Array.emptyByteArray)(_.toArray))
    }).owners(RowRanges.ofRows(Array(id))).toSeq
    assert(owners(manifest(40), 41) == Seq(4) && parsed == 5)
    assert(owners(manifest(40), 25) == Seq(2) && parsed == 5)
    assert(owners(manifest(70), 41).isEmpty && parsed == 10)
  }

  test("an id that an update left in two fragments is found in the first one") {
    val ids = Vector(Seq(0L, 1L, 2L), Seq(5L, 6L), Seq(1L, 9L))
    val fragments = ids.zipWithIndex.map { case (of, i) =>
      pb.DataFragment(id = i.toLong, physicalRows = of.size.toLong)
        .withInlineRowIds(RowIdEncoder.encode(of.toArray))
    }
    val manifest = Manifest(pb.Manifest(fragments = fragments, transactionFile = UUID.randomUUID().toString))
    val places = RowPlaces.of(manifest, Array(1, 9, 7))
    def place(id: Long) = places.find(id).map(p => p.fragment.id -> p.offset)
    assert(place(1).contains(0L -> 1L) && place(9).contains(2L -> 1L) && place(7).isEmpty && place(6).isEmpty)
  }
}
