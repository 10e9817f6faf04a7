package io.sparklance.dataset.cleanup

import scala.util.{Random, Try}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.dataset.{Dataset, TableRefs}
import io.sparklance.io.{LocalStore, ObjectStore}
import io.sparklance.table.transaction.Operation
import io.sparklance.testkit.{Ring, SteppedStore}

/** Whatever makes an old version live again, beside a clean-up that removes it: at each step of the one, the
  * other runs as a whole. Either fails, or the version can be read with all its files.
  */
final class RevivedVersionsSuite extends AnyFunSuite with CleanupTables {

  /** A store that runs something else before its call of a number. */
  private class Interrupted(at: Int, other: () => Unit) extends SteppedStore(LocalStore) {
    override protected def step[A](number: Int)(call: => A): A = {
      if (number == at) other()
      call
    }
  }

  /** Makes version 1 live again. Returns what then shows it. */
  private type Revival = (Table, ObjectStore) => Dataset

  private val restore: Revival = (table, store) =>
    table.open(store).commit(Operation.Restore(1)).dataset
  private val tag: Revival = (table, store) => {
    val _ = new TableRefs(table.open(store, Some(1))).createTag("kept")
    table.open(version = Some(new TableRefs(table.open()).tags.get("kept").version))
  }
  private val moved: Revival = (table, store) => {
    val _ = new TableRefs(table.open(store, Some(1))).updateTag("moving")
    table.open(version = Some(new TableRefs(table.open()).tags.get("moving").version))
  }
  private val branch: Revival =
    (table, store) => new TableRefs(table.open(store, Some(1))).createBranch("more")

  private val cloned: Revival =
    (table, store) => new TableRefs(table.open(store, Some(1))).shallowClone(s"${table.root}-clone")

  private val policy = all.copy(errorIfTagged = false)

  private def made(table: Table): Unit = {
    table.create("a")
    table.replace("b")
    new TableRefs(table.replace("c")).createTag("moving")
    val _ = table.replace("d")
    Thread.sleep(2)
  }

  /** Fails if a version that was said to live again lacks a file, or if the latest one does. */
  private def check(table: Table, told: Try[Dataset], what: String): Unit = {
    for (alive <- told) {
      assert(alive.fragments.flatMap(_.files.map(_.path)) == Vector("a.lance"), what)
      assert(table.files("data/a.lance"), s"$what says ok, and its file is gone")
    }
    val latest = table.open()
    latest.fragments.flatMap(_.files).foreach(f => assert(table.files(s"data/${f.path}"), s"$what: $f"))
    val tags = new TableRefs(latest).tags.all
    tags.foreach { case (name, tag) =>
      assert(table.open(version = Some(tag.version)).countRows == 10, s"$what $name")
    }
  }

  /** Runs one with the other before each of its steps, or before some in a short run. */
  private def each(what: String)(run: (Table, Int) => (Int, Try[Dataset])): Unit = {
    def steps(at: Int): Int = {
      var taken = 0
      withTable { table =>
        made(table)
        val (counted, told) = run(table, at)
        taken = counted
        check(table, told, s"$what, before step $at")
      }
      taken
    }
    val all = steps(Int.MaxValue)
    val stride = Ring.cases(fast = 9, everyday = 5, full = 1)
    for (at <- Random.nextInt(stride) until all by stride) { val _ = steps(at) }
    val _ = assert(all > 5)
  }

  private val revivals =
    Seq("restore" -> restore, "create a tag" -> tag, "move a tag" -> moved, "branch" -> branch)

  for ((name, revive) <- revivals)
    test(s"$name during a clean-up") {
      each(name) { (table, at) =>
        var told = Try(fail("it did not run"): Dataset)
        val store = new Interrupted(at, () => told = Try(revive(table, LocalStore)))
        new Cleanup(table.open(store), policy).run()
        (store.steps, told)
      }
    }

  // A table does not know its clones, so a clean-up that goes on takes their files.
  for ((name, revive) <- revivals :+ "clone" -> cloned)
    test(s"a clean-up while another is to $name") {
      each(name) { (table, at) =>
        val store = new Interrupted(at, () => { val _ = new Cleanup(table.open(), policy).run() })
        val told = Try(revive(table, store))
        (store.steps, told)
      }
    }
}
