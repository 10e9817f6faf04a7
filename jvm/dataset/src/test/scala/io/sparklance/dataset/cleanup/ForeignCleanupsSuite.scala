package io.sparklance.dataset.cleanup

import java.nio.file.Files
import java.util.UUID

import com.google.protobuf.ByteString
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceException
import io.sparklance.dataset.{Dataset, TableRefs}
import io.sparklance.io.{LocalStore, ObjectStore}
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.table.transaction.{KeyChanges, Operation}
import io.sparklance.testkit.DelegatingStore

/** Old versions that live again beside the clean-up of other software, which removes data files first and
  * manifests last, and does not look again for what others have committed; and beside that of their own
  * commit.
  */
final class ForeignCleanupsSuite extends AnyFunSuite with CleanupTables {

  /** Removes a file as soon as anything has been put. */
  private class Removing(file: java.nio.file.Path) extends DelegatingStore(LocalStore) {
    private def removing[A](put: A): A = {
      val _ = Files.deleteIfExists(file)
      put
    }
    override def put(path: String, bytes: Array[Byte]): Unit = removing(super.put(path, bytes))
    override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean =
      removing(super.putIfAbsent(path, bytes))
  }

  private def refs(table: Table, store: ObjectStore) = new TableRefs(table.open(store, Some(2)))

  private val revivals = Seq[(String, (Table, ObjectStore) => Any)](
    "restore" -> ((table, store) => table.open(store).commit(Operation.Restore(2))),
    "tag" -> ((table, store) => refs(table, store).createTag("kept")),
    "moved tag" -> ((table, store) => refs(table, store).updateTag("moving")),
    "branch" -> ((table, store) => refs(table, store).createBranch("more")),
    "clone" -> ((table, store) => refs(table, store).shallowClone(s"${table.root}-clone"))
  )

  private val uuid = UUID.randomUUID()
  private val index = pb.IndexMetadata(
    uuid = Some(pb.UUID(ByteString.fromHex(uuid.toString.replace("-", "")))),
    fields = Seq(0),
    name = "i",
    files = Seq(pb.IndexFile("page_data.lance", 100))
  )
  private val (data, indexed) = ("data/a.lance", s"_indices/$uuid/page_data.lance")

  for ((name, revive) <- revivals; (lost, isLate) <- Seq(data -> false, data -> true, indexed -> true)) {
    val what = lost.takeWhile(_ != '/')
    test(s"a version of which files in $what are removed ${if (isLate) "during" else "before"} its $name") {
      withTable { table =>
        table.create("a")
        table.put(indexed)
        table.open().commit(Operation.CreateIndex(txn.Transaction.CreateIndex(Seq(index))))
        table.replace("b")
        new TableRefs(table.open()).createTag("moving")
        val file = table.path.resolve(lost)
        if (!isLate) Files.delete(file)
        val e = intercept[LanceException](revive(table, if (isLate) new Removing(file) else LocalStore))
        assert(e.getMessage.contains(lost) && e.getMessage.contains("Choose another version"))
        val latest = table.open()
        assert(latest.fragments.flatMap(_.files.map(_.path)) == Vector("b.lance"))
        val after = new TableRefs(latest)
        assert(after.tags.all.map { case (name, tag) => name -> tag.version } == Vector("moving" -> 3L))
        assert(after.branches.all.isEmpty && !LocalStore.exists(s"${table.root}/tree/more/_versions"))
        assert(!Dataset.exists(LocalStore, s"${table.root}-clone"))
        // Nothing is in the way of another attempt.
        table.put(lost)
        revive(table, LocalStore)
      }
    }
  }

  test("a restored version may be removed by the clean-up that its own commit is followed by") {
    withTable { table =>
      table.create("a")
      val config = Seq("interval" -> "4", "retain_versions" -> "1")
      val changes = config.map { case (key, value) => s"lance.auto_cleanup.$key" -> Option(value) }.toMap
      table.open().commit(Operation.UpdateConfig.ofConfig(KeyChanges.Merging(changes)))
      table.replace("b")
      val restored = table.open().commit(Operation.Restore(2)).dataset
      assert(restored.version == 4 && table.versions == Vector(4) && table.files == Set("data/a.lance"))
    }
  }
}
