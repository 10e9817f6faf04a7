package io.sparklance.dataset.sequences

import scala.util.Random
import scala.util.control.NonFatal

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.FileVersion
import io.sparklance.table.RowIdentity
import io.sparklance.testkit.Ring

/** Random sequences of changes. A failure prints its seed and steps. */
class SequencesSuite extends AnyFunSuite {
  private val count = Ring.cases(fast = 1, everyday = 4, full = 500)

  for {
    version <- FileVersion.writable
    identity <- Seq(RowIdentity.Address, RowIdentity.StableId)
  } test(s"$version, $identity: every version holds what it must, whatever came before and after it") {
    val seeds = Random.nextLong() +: (0L until count.toLong)
    seeds.foreach { seed =>
      val sequence = new Sequence(version, identity, seed)
      try sequence.run(length = 12)
      catch {
        case e @ (NonFatal(_) | _: AssertionError) => fail(s"${e.getMessage}\n${sequence.told}", e)
      }
    }
  }
}
