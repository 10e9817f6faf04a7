package io.sparklance.dataset

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.FileVersion
import io.sparklance.dataset.cleanup.{Cleanup, CleanupPolicy}
import io.sparklance.io.ObjectStore
import io.sparklance.table.Versions
import io.sparklance.table.commit.TransactionFiles
import io.sparklance.testkit.FileFixtures.written
import io.sparklance.testkit.TableFixtures._
import io.sparklance.testkit.{DelegatingStore, MemoryStore}
import io.sparklance.{
  IncompatibleCommitConflictException,
  LanceTableNotFoundException,
  LanceUsageException,
  RetryableCommitConflictException
}

/** Other operations that depend on a version of a table that was dropped and recreated with at least as many
  * versions.
  */
class RecreatedDatasetSuite extends AnyFunSuite {
  private val root = "/t"

  /** At its second version. */
  private def created(store: ObjectStore, name: String = "a"): Dataset =
    Dataset.create(store, root, TableDefinition(schema, FileVersion.V2_2), Vector(written(s"$name.lance")))
      .append(Vector(written(s"$name 2.lance")))

  private def recreated(store: ObjectStore, more: Int): Dataset = {
    store.deleteTree(root)
    (1 to more).foldLeft(created(store, "other"))((table, i) =>
      table.append(Vector(written(s"more $i.lance")))
    )
  }

  private def versions(store: ObjectStore): Vector[Long] = new Versions(store, root).list().map(_.version)

  private def manifests(store: MemoryStore): Vector[Seq[Byte]] =
    store.paths.filter(_.endsWith(".manifest")).map(store.bytes(_).toSeq)

  test("the latest version of a table is not that of another one") {
    Seq(0, 1, 5).foreach { more =>
      val store = new MemoryStore
      val table = created(store)
      assert(table.refreshed("write").map(_.version).contains(2L))
      assert(table.append(Vector(written("c.lance"))).refreshed("write").map(_.version).contains(3L))
      assert(table.refreshed("write").map(_.version).contains(3L))
      recreated(store, more)
      val e = intercept[IncompatibleCommitConflictException](table.refreshed("write"))
      assert(e.getMessage.contains("The write to /t was begun at version 2 of a table that was dropped"))
      store.deleteTree(root)
      intercept[LanceTableNotFoundException](table.refreshed("write"))
    }
  }

  test("the latest version is none if clean-up has removed all that could tell") {
    val store = new MemoryStore
    val table = created(store)
    recreated(store, 3)
    Seq(1L, 2L).foreach(v => store.delete(new Versions(store, root).find(v).get.path))
    assert(table.refreshed("write").isEmpty)
  }

  test("an uncommitted transaction is committed to its own table only, also after clean-up") {
    Seq(0, 1, 5).foreach { more =>
      val store = new MemoryStore
      created(store).keepUncommitted("mine", Dataset.appending(Vector(written("b.lance"))), Map("job" -> "j"))
      val kept = new TransactionFiles(store, root).find("mine").get
      recreated(store, more)
      val before = manifests(store)
      intercept[IncompatibleCommitConflictException](Dataset.commit(store, root, kept))
      assert(manifests(store) == before)
      store.delete(new Versions(store, root).find(2).get.path)
      if (more > 0) intercept[RetryableCommitConflictException](Dataset.commit(store, root, kept))
    }
    val store = new MemoryStore
    val table = created(store)
    table.keepUncommitted("mine", Dataset.appending(Vector(written("b.lance"))), Map.empty)
    val kept = new TransactionFiles(store, root).find("mine").get
    table.append(Vector(written("theirs.lance")))
    Seq(1L, 2L).foreach(v => store.delete(new Versions(store, root).find(v).get.path))
    store.put("/t/data/b.lance", Array[Byte](1))
    assert(Dataset.commit(store, root, kept).dataset.version == 4)
  }

  test(
    "an uncommitted transaction whose files clean-up has removed is refused, but one that is committed stays so"
  ) {
    val store = new MemoryStore
    val table = created(store)
    table.keepUncommitted("mine", Dataset.appending(Vector(written("b.lance"))), Map.empty)
    val kept = new TransactionFiles(store, root).find("mine").get
    table.append(Vector(written("theirs.lance")))
    val before = manifests(store)
    val e = intercept[LanceUsageException](Dataset.commit(store, root, kept))
    assert(e.getMessage.contains("The file /t/data/b.lance of the Append to /t does not exist any more"))
    assert(manifests(store) == before)
    store.put("/t/data/b.lance", Array[Byte](1))
    assert(Dataset.commit(store, root, kept).dataset.version == 4)
    store.delete("/t/data/b.lance")
    assert(Dataset.commit(store, root, kept).commit.version == 4 && manifests(store).size == before.size + 1)
  }

  test("tags, branches and clones are not made of another table's version") {
    val store = new MemoryStore
    val refs = new TableRefs(created(store))
    recreated(store, 1)
    def refused(body: => Any) = {
      val e = intercept[LanceTableNotFoundException](body)
      assert(
        e.getMessage.contains("was dropped, and another one created there, since its version 2 was read")
      )
    }
    refused(refs.createTag("t"))
    refused(refs.createBranch("b"))
    refused(refs.shallowClone("/elsewhere"))
    assert(!store.paths.exists(path =>
      path.contains("_refs") || path.contains("tree") || path.contains("else")
    ))
  }

  test("clean-up deletes no manifest of another table") {
    val memory = new MemoryStore
    var isReplaced = false
    val table = created(memory)
    val store = new DelegatingStore(memory) {
      override def walk(directory: String)(visit: io.sparklance.io.FileEntry => Unit): Unit = {
        memory.walk(directory)(visit)
        if (!isReplaced && directory.endsWith("/data")) {
          isReplaced = true
          val _ = recreated(memory, 1)
        }
      }
    }
    val policy = CleanupPolicy(retainVersions = Some(1))
    intercept[IncompatibleCommitConflictException](new Cleanup(Dataset.open(store, root), policy).run())
    assert(table.version == 2 && isReplaced && versions(memory) == Vector(1L, 2L, 3L))
  }

  test("a table that was restored is still the same") {
    val store = new MemoryStore
    val table = created(store)
    store.put("/t/data/a.lance", Array.emptyByteArray)
    table.commit(io.sparklance.table.transaction.Operation.Restore(1))
    assert(table.refreshed("write").map(_.version).contains(3L))
    assert(table.commit(io.sparklance.table.transaction.Operation.Restore(1)).dataset.version == 4)
  }
}
