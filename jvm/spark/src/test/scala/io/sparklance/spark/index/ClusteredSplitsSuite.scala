package io.sparklance.spark.index

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.scan.{FragmentTask, Split}
import io.sparklance.index.build.IndexKeys

class ClusteredSplitsSuite extends AnyFunSuite {
  private val keys = IndexKeys.ofNumbers

  /** Rows 0 to 9 and 10 to 19 of fragment 0, and rows 0 to 9 of fragment 1. */
  private val splits = Seq((0L, 0L), (0L, 10L), (1L, 0L)).toVector.map { case (fragment, from) =>
    Split(Vector(FragmentTask(
      fragment,
      Vector.empty,
      20,
      None,
      RowRanges.of(Seq(RowRange(from, from + 10))),
      Vector.empty
    )))
  }
  private val addresses = Vector(3L, 5L, 10L, 19L, 1L << 32, (1L << 32) + 9)

  private def found(sampled: Integer*): Option[ClusteredSplits[java.lang.Long]] = {
    val sample =
      sampled.toVector.map(key => if (key == null) null else Long.box(key.longValue)).zip(addresses)
    ClusteredSplits.of(splits, sample, keys)
  }

  private def limits(of: Option[ClusteredSplits[java.lang.Long]]) =
    of.map(_.limits.map(limit => (limit.least.map(Option(_)), limit.most.map(Option(_)))))

  private def some(key: Int) = Some(Some(Long.box(key.toLong)))

  test("splits that follow each other have limits between their neighbours' keys") {
    assert(limits(found(
      1, 4, 4, 6, 8, 9
    )).contains(Vector((None, some(4)), (some(4), some(8)), (some(6), None))))
  }

  test("the order of splits is that of their keys") {
    assert(limits(found(
      8, 9, 5, 7, 1, 2
    )).contains(Vector((some(7), None), (some(2), some(8)), (None, some(5)))))
  }

  test("nulls come first") {
    assert(limits(found(null, null, null, 6, 8, 9)).map(_.head).contains((None, Some(None))))
    assert(found(1, 4, null, 6, 8, 9).isEmpty)
  }

  test("splits that overlap, or of which nothing is known, have to be shuffled") {
    assert(found(1, 5, 4, 6, 8, 9).isEmpty)
    assert(found(1, 4, 4, 6).isEmpty)
  }
}
