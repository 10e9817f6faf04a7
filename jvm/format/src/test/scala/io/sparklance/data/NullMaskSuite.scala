package io.sparklance.data

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class NullMaskSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private def read(mask: NullMask): Seq[Boolean] = (0 until mask.length).map(mask.isNull)

  private def maskOf(flags: Seq[Boolean]): NullMask = {
    val mask = new NullMask
    flags.foreach(if (_) mask.appendNull(1) else mask.appendValid(1))
    mask
  }

  test("a mask without nulls has no flags at all") {
    val mask = new NullMask
    mask.appendValid(5000)
    assert(mask.orNull === null)
    assert(mask.length === 5000)
    assert(!mask.isNull(4999))
  }

  test("nulls after valid values, and valid values after nulls") {
    val mask = new NullMask
    mask.appendValid(2000)
    mask.appendNull(2)
    mask.appendValid(1000)
    assert(read(mask) === Seq.fill(2000)(false) ++ Seq(true, true) ++ Seq.fill(1000)(false))
    assert(mask.count === 2)
  }

  test("levels other than 0 are nulls") {
    val mask = maskOf(Seq(true))
    mask.appendLevels(Array[Short](9, 0, 1, 2, 0), 1, 4, 0)
    assert(read(mask) === Seq(true, false, true, true, false))
    assert(mask.count === 3)
  }

  test("flags left from an earlier use do not come back") {
    val mask = maskOf(Seq(true, true, true))
    mask.clear()
    mask.appendValid(3)
    mask.appendNull(1)
    assert(read(mask) === Seq(false, false, false, true))
  }

  test("discardHead, truncate and retain act as on a list") {
    forAll(Gen.listOf(Gen.oneOf(true, false)), Gen.choose(0, 20)) { (flags, n) =>
      val head = n.min(flags.length)
      val dropped = maskOf(flags)
      dropped.discardHead(head)
      assert(read(dropped) === flags.drop(head))
      assert(dropped.count === flags.drop(head).count(identity))
      val cut = maskOf(flags)
      cut.truncate(head)
      assert(read(cut) === flags.take(head))
      val kept = maskOf(flags)
      val even = (0 until head).filter(_ % 2 == 0).toArray
      kept.retain(even, even.length, head)
      assert(read(kept) === even.toSeq.map(flags) ++ flags.drop(head))
    }
  }
}
