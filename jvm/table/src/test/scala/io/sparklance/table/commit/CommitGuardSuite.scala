package io.sparklance.table.commit

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.RetryableCommitConflictException
import io.sparklance.table.Manifest
import io.sparklance.table.transaction.{KeyChanges, Operation}
import io.sparklance.testkit.MemoryStore
import io.sparklance.testkit.TableFixtures._

class CommitGuardSuite extends AnyFunSuite with CommitLoops {

  /** Versions that a guard was shown, each with the names of others' operations. */
  private class Seen(fails: Boolean = false, meanwhile: () => Unit = () => ()) extends CommitGuard {
    var checks = Vector.empty[(Long, Vector[String])]
    override def check(latest: Manifest, others: Vector[Operation]): Unit = {
      checks :+= latest.version -> others.map(_.name)
      if (checks.size == 1) meanwhile()
      if (fails) throw new RetryableCommitConflictException("the same key")
    }
  }

  private def guarded(store: MemoryStore, guard: CommitGuard) = new CommitLoop(store, "/t", guard = guard)

  test("a guard sees each operation of others once, before the commit is built on their versions") {
    val store = created()
    val alone = new Seen
    assert(guarded(store, alone).commit(1, append("second")).version == 2 &&
      alone.checks == Vector(1L -> Vector()))
    loop(store).commit(2, append("third"))
    val seen = new Seen(meanwhile = () => { val _ = loop(store).commit(3, overwriteConfig) })
    assert(guarded(store, seen).commit(1, append("mine")).version == 5)
    assert(seen.checks == Vector(3L -> Vector("Append", "Append"), 4L -> Vector("UpdateConfig")))
    assert(files(latest(store)) == Vector("first", "second", "third", "mine"))
  }

  test("a guard that refuses leaves no version and no file") {
    val store = created()
    loop(store).commit(1, append("second"))
    val before = transactionFiles(store)
    val e = intercept[RetryableCommitConflictException](
      guarded(store, new Seen(fails = true)).commit(1, append("mine"))
    )
    assert(e.getMessage == "the same key")
    assert(latest(store).version == 2 && transactionFiles(store) == before)
  }

  private def overwriteConfig: Operation =
    Operation.UpdateConfig.ofConfig(KeyChanges.Merging(Map("a" -> Some("b"))))
}
