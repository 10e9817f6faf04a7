package io.sparklance.dataset

import scala.util.Try

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceException
import io.sparklance.data.FileVersion
import io.sparklance.table.refs.Refs
import io.sparklance.testkit.FileFixtures.written
import io.sparklance.testkit.TableFixtures.schema
import io.sparklance.testkit.{MemoryStore, SteppedStore}

/** Branches that are deleted while others make references to them: at each step of the one, the other runs as
  * a whole. Whatever exists afterwards can be read.
  */
final class BranchRacesSuite extends AnyFunSuite {

  /** A store that runs something else before its call of a number. */
  private class Interrupted(memory: MemoryStore, at: Int, other: () => Unit) extends SteppedStore(memory) {
    override protected def step[A](number: Int)(call: => A): A = {
      if (number == at) other()
      call
    }
    override def deleteTree(directory: String): Unit = { list(directory); super.deleteTree(directory) }
  }

  private def made(memory: MemoryStore): Unit = {
    val files = Vector(written("a.lance"))
    memory.put("/t/data/a.lance", Array[Byte](1))
    val table = Dataset.create(memory, "/t", TableDefinition(schema, FileVersion.V2_2), files)
    memory.put("/t/tree/old/data/b.lance", Array[Byte](1))
    val _ = new TableRefs(table).createBranch("old").append(Vector(written("b.lance")))
  }

  private def of(store: io.sparklance.io.ObjectStore, branch: String) =
    new TableRefs(Dataset.open(store, s"/t/tree/$branch"))

  private type Step = io.sparklance.io.ObjectStore => Any

  private val deletion: Step = store => new Refs(store, "/t", None).branches.delete("old")
  private val clearance: Step = store => new Refs(store, "/t", None).branches.clear("new")
  private val branching: Step = store => of(store, "old").createBranch("new")
  private val tagging: Step = store => of(store, "old").createTag("kept")
  private val begun: Step = store => new TableRefs(Dataset.open(store, "/t")).createBranch("new")

  private def check(memory: MemoryStore, told: Seq[Try[Any]], what: String): Unit = {
    told.foreach(_.failed.foreach(e => if (!e.isInstanceOf[LanceException]) fail(what, e)))
    val refs = new TableRefs(Dataset.open(memory, "/t"))
    refs.branches.all.foreach { case (name, _) =>
      assert(MissingFiles.first(Dataset.open(memory, s"/t/tree/$name")).isEmpty, what)
    }
    refs.tags.all.foreach { case (name, tag) =>
      val root = refs.branches.root(tag.branch)
      assert(MissingFiles.first(Dataset.open(memory, root, Some(tag.version))).isEmpty, s"$what: $name")
    }
  }

  for (
    (name, one, other) <- Seq(
      ("a branch of a branch that is deleted", branching, deletion),
      ("a tag of a branch that is deleted", tagging, deletion),
      ("a branch whose creation is cleared away", begun, clearance)
    );
    isReverse <- Seq(false, true)
  )
    test(s"$name, ${if (isReverse) "in the midst of the deletion" else "in the midst of the creation"}") {
      def run(at: Int): Int = {
        val memory = new MemoryStore
        made(memory)
        val (outer, inner) = if (isReverse) (other, one) else (one, other)
        var told = Option.empty[Try[Any]]
        val store = new Interrupted(memory, at, () => told = Some(Try(inner(memory))))
        val tells = Try(outer(store))
        check(memory, Seq(tells) ++ told, s"before step $at: $tells, $told")
        store.steps
      }
      val steps = run(Int.MaxValue)
      assert(steps > 3)
      (0 until steps).foreach(run)
    }
}
