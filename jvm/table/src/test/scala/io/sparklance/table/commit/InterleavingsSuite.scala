package io.sparklance.table.commit

import scala.util.{Failure, Success, Try}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.CommitConflictException
import io.sparklance.table.transaction.Operation
import io.sparklance.testkit.{MemoryStore, SteppedStore}

/** Two commits that are begun at the same version, the second of which happens as a whole before any one step
  * of the first: for all pairs of operations. Either order of the two gives the table that there is, or the
  * later one is refused and leaves nothing.
  */
class InterleavingsSuite extends AnyFunSuite {
  import Commits._

  private val kinds = operations(latest(table()).manifest).map(_.name)

  private def operation(store: MemoryStore, kind: Int): Operation = operations(latest(store).manifest)(kind)

  /** The table after one commit, and after another that was begun before it. */
  private def serial(first: Int, second: Int): (Outcome, Try[Outcome]) = {
    val store = table()
    val later = operation(store, second)
    loop(store).commit(2, operation(store, first))
    val between = outcome(store)
    (between, Try(loop(store).commit(2, later)).map(_ => outcome(store)))
  }

  private val serials = Array.tabulate(kinds.size, kinds.size)(serial)

  kinds.indices.foreach { mine =>
    test(s"${kinds(mine)}, while each other operation is committed at each of its steps") {
      kinds.indices.foreach { theirs =>
        val steps = Iterator.from(0).map(interleave(mine, theirs, _)).indexWhere(_ == false)
        assert(steps >= 4, s"${kinds(mine)} takes a few steps")
      }
    }
  }

  test("pairs that go together, and pairs that do not, are among them") {
    val refused = serials.flatten.count(_._2.isFailure)
    assert(refused > 40 && refused < 100, refused)
  }

  /** False if the first commit ended before that step. */
  private def interleave(mine: Int, theirs: Int, at: Int): Boolean = {
    val store = table()
    val other = operation(store, theirs)
    var otherEnded = Option.empty[Try[CommitOutcome]]
    val stepped = new SteppedStore(store) {
      override protected def step[A](number: Int)(call: => A): A = {
        if (number == at) otherEnded = Some(Try(loop(store).commit(2, other)))
        call
      }
    }
    val ended = Try(loop(stepped).commit(2, operation(store, mine)))
    otherEnded.foreach(check(store, mine, theirs, ended, _, s"${kinds(mine)} / ${kinds(theirs)}, step $at"))
    otherEnded.isDefined
  }

  private def check(
      store: MemoryStore,
      mine: Int,
      theirs: Int,
      ended: Try[CommitOutcome],
      otherEnded: Try[CommitOutcome],
      clue: String
  ): Unit = {
    val mineFirst = ended.toOption.exists(_.version == 3)
    val (between, both) = if (mineFirst) serials(mine)(theirs) else serials(theirs)(mine)
    val later = if (mineFirst) otherEnded else ended
    assert((if (mineFirst) ended else otherEnded).isSuccess, clue)
    both match {
      case Success(expected) => assert(later.isSuccess && outcome(store) == expected, clue)
      case Failure(conflict) =>
        assert(later.failed.map(_.getClass) == Success(conflict.getClass), clue)
        assert(conflict.isInstanceOf[CommitConflictException], clue)
        assert(outcome(store) == between, clue)
    }
    val _ = assert(clutter(store).isEmpty, clue)
  }
}
