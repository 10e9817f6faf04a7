package io.sparklance.table.commit

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class BackoffSuite extends AnyFunSuite {

  test("waits lie within 4, 8, ... 128 slots, each a tenth longer than an attempt") {
    val random = new Random(1)
    (0 until 20).foreach { attempt =>
      val delays = Vector.fill(2000)(Backoff.delayMillis(attempt, 100, random))
      assert(delays.min == 0 && delays.max == math.min(4 << math.min(attempt, 5), 128) * 110, attempt)
    }
  }

  test("an attempt too short to measure makes slots of a millisecond") {
    val random = new Random(1)
    assert(Vector.fill(100)(Backoff.delayMillis(0, 0, random)).distinct.sorted == Vector(0, 1, 2, 3, 4))
  }
}
