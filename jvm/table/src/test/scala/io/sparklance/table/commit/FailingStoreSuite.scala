package io.sparklance.table.commit

import java.io.IOException

import scala.util.{Failure, Success, Try}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.CommitStateUnknownException
import io.sparklance.testkit.TableFixtures.append
import io.sparklance.testkit.{MemoryStore, SteppedStore}

/** Every call that a commit makes of its store fails once, before it has taken effect or after. */
class FailingStoreSuite extends AnyFunSuite {
  import Commits._

  /** When a call fails. */
  sealed private trait When
  private case object Before extends When
  private case object After extends When

  private val kinds = operations(latest(table()).manifest).map(_.name)

  for (kind <- kinds.indices; when <- Seq(Before, After))
    test(s"${kinds(kind)}: any call fails once, ${when.toString.toLowerCase} it has taken effect") {
      val calls = Iterator.from(0).takeWhile(fail(kind, _, when)).size
      assert(calls >= 5, "list, open, transaction, manifest, hint")
    }

  /** False if the commit made no such call. */
  private def fail(kind: Int, at: Int, when: When): Boolean = {
    val store = table()
    val operation = operations(latest(store).manifest)(kind)
    val before = outcome(store)
    val after = {
      val other = table()
      loop(other).commit(2, operations(latest(other).manifest)(kind))
      outcome(other)
    }
    val failing = new SteppedStore(store) {
      override protected def step[A](number: Int)(call: => A): A =
        if (number != at) call
        else {
          if (when == After) { val _ = call }
          throw new IOException("the store does not answer")
        }
    }
    val ended = Try(loop(failing).commit(2, operation))
    val clue = s"${kinds(kind)}, call $at: $ended"
    ended match {
      case Success(_) => assert(outcome(store) == after, clue)
      case Failure(_: CommitStateUnknownException) =>
        assert(Seq(before, after).contains(outcome(store)), clue)
      case Failure(_: IOException) => assert(outcome(store) == before, clue)
      case Failure(other) => fail(clue, other)
    }
    if (!ended.failed.toOption.exists(_.isInstanceOf[CommitStateUnknownException]))
      assert(clutter(store).size <= (if (failing.steps > at && when == Before) 1 else 0), clue)
    goesOn(store, clue)
    failing.steps > at
  }

  private def goesOn(store: MemoryStore, clue: String): Unit = {
    val version = latest(store).manifest.version
    val _ = assert(loop(store).commit(version, append("next")).version == version + 1, clue)
  }
}
