package io.sparklance.dataset.cleanup

import java.time.Duration
import java.util.UUID

import com.google.protobuf.ByteString
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.RowRanges
import io.sparklance.dataset.snapshot.RowAddress
import io.sparklance.dataset.{Dataset, RowOperations, TableRefs}
import io.sparklance.io.LocalStore
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.table.transaction.Operation
import io.sparklance.table.{ManifestCodec, ManifestNaming}
import io.sparklance.{LanceTableNotFoundException, LanceUsageException}

/** Clean-up removes unneeded files and, above all, no others. */
class CleanupSuite extends AnyFunSuite with CleanupTables {
  test("versions but the latest go, with their transactions, and the files that only they refer to") {
    withTable { table =>
      table.create("a", "b")
      table.delete(3)
      table.replace("c")
      table.append("d")
      val stats = table.clean()
      assert(table.versions == Vector(4) && table.files == Set("data/c.lance", "data/d.lance"))
      assert(stats.oldVersions == 3 && stats.dataFilesRemoved == 2 && stats.deletionFilesRemoved == 1)
      assert(stats.transactionFilesRemoved == 3 && stats.failedDeletes == 0 && stats.bytesRemoved > 200)
      assert(LocalStore.list(s"${table.root}/_transactions").size == 1)
      assert(table.open().countRows == 20)
      assert(table.clean() == CleanupResult())
    }
  }

  test("a plan shows the same and removes nothing") {
    withTable { table =>
      table.create("a")
      table.replace("b")
      Thread.sleep(2)
      val plan = new Cleanup(table.open(), all).plan()
      assert(table.versions == Vector(1, 2) && table.files.size == 2)
      assert(plan.result == table.clean())
    }
  }

  test("versions go by age, by number, or by name, and if several are given, by all of these") {
    withTable { table =>
      table.create("a")
      ('b' to 'f').foreach(name => table.append(name.toString))
      table.clean(CleanupPolicy.default)
      table.clean(CleanupPolicy(olderThan = Some(Duration.ofHours(1)), retainVersions = Some(1)))
      table.clean(CleanupPolicy(retainVersions = Some(6)))
      table.clean(CleanupPolicy(retainVersions = Some(100)))
      assert(table.versions == Vector(1, 2, 3, 4, 5, 6))
      table.clean(CleanupPolicy(versions = Some(Set(2, 6))))
      assert(table.versions == Vector(1, 3, 4, 5, 6))
      table.clean(all.copy(retainVersions = Some(3)))
      assert(table.versions == Vector(4, 5, 6) && table.open().countRows == 60)
    }
  }

  test("conditions that make no sense are errors") {
    Seq[() => Any](
      () => CleanupPolicy(retainVersions = Some(0)),
      () => CleanupPolicy(olderThan = Some(Duration.ofDays(-1))),
      () => CleanupPolicy(versions = Some(Set.empty))
    ).foreach(policy => intercept[LanceUsageException](policy()))
  }

  test("a version that a tag names stays with its files; by default that is an error that names the tag") {
    withTable { table =>
      new TableRefs(table.create("a")).createTag("keep")
      table.replace("b")
      table.replace("c")
      val e = intercept[LanceUsageException](table.clean())
      assert(e.getMessage.contains("'keep' (version 1)") && table.versions.size == 3)
      table.clean(all.copy(errorIfTagged = false))
      assert(table.versions == Vector(1, 3) && table.files.filter(_.startsWith("data")) ==
        Set("data/a.lance", "data/c.lance"))
      assert(table.open(version = Some(1)).countRows == 10)
    }
  }

  test("a branch keeps the version that it begins with, and every file that one of its versions refers to") {
    withTable { table =>
      table.create("a")
      val branch = new TableRefs(table.append("b")).createBranch("dev/one")
      branch.commit(RowOperations.delete(branch, RowRanges.ofRows(Array(RowAddress.of(0, 1))), "one"))
      table.replace("c")
      table.replace("d")
      val stats = table.clean()
      assert(table.versions == Vector(2, 4) && stats.dataFilesRemoved == 1)
      assert(Set("data/a.lance", "data/b.lance", "data/d.lance").subsetOf(table.files))
      assert(Dataset.open(LocalStore, s"${table.root}/tree/dev/one").countRows == 19)
      // And the branch's own clean-up keeps to its own files.
      new Cleanup(Dataset.open(LocalStore, s"${table.root}/tree/dev/one"), all).run()
      assert(Set("data/a.lance", "data/b.lance", "data/d.lance").subsetOf(table.files))
    }
  }

  test("a branch that is only begun, or that is no longer listed, keeps its files, too") {
    withTable { table =>
      val branch = new TableRefs(table.create("a")).createBranch("begun")
      LocalStore.delete(s"${table.root}/_refs/branches/begun.json")
      table.replace("b")
      table.clean()
      assert(table.files.contains("data/a.lance") && branch.countRows == 10)
    }
  }

  test("files of other software stay, whatever their age") {
    withTable { table =>
      table.create("a")
      val others = Set(
        "data/notes.txt",
        "data/deep/er/1.blob",
        "_refs/tags/t.txt",
        "README",
        "_sparklance/job",
        "data2/x.lance"
      )
      others.foreach(table.put(_, week.multipliedBy(10)))
      table.clean(all.copy(deleteUnverified = true))
      assert(table.files == others + "data/a.lance")
    }
  }

  test("blobs beside a data file go when it goes") {
    withTable { table =>
      table.create("a")
      table.put("data/a/01.blob")
      table.replace("b")
      table.put("data/b/01.blob")
      assert(table.clean().dataFilesRemoved == 2)
      assert(table.files == Set("data/b.lance", "data/b/01.blob"))
    }
  }

  test("indices stay as long as a version has them") {
    withTable { table =>
      val uuid = UUID.randomUUID()
      val bytes = ByteString.fromHex(uuid.toString.replace("-", ""))
      val index = pb.IndexMetadata(uuid = Some(pb.UUID(bytes)), fields = Seq(0), name = "i")
      def change(added: Seq[pb.IndexMetadata], removed: Seq[pb.IndexMetadata]) =
        table.open().commit(Operation.CreateIndex(txn.Transaction.CreateIndex(added, removed)))
      table.create("a")
      table.put(s"_indices/$uuid/page_data.lance")
      change(Seq(index), Nil)
      assert(table.clean().indexFilesRemoved == 0)
      change(Nil, Seq(index))
      assert(table.clean().indexFilesRemoved == 1 && table.files == Set("data/a.lance"))
    }
  }

  test("a file that an old version left and a later one has again stays") {
    withTable { table =>
      table.create("a")
      table.replace("b")
      table.open().commit(Operation.Restore(1))
      assert(table.clean().dataFilesRemoved == 1)
      assert(table.versions == Vector(3) && table.files == Set("data/a.lance"))
    }
  }

  test("a detached version keeps its files") {
    withTable { table =>
      val first = table.create("a")
      val number = Long.MinValue | 77
      val message = first.manifest.message.copy(version = number)
      val bytes = ManifestCodec.encode(first.manifest.copy(message), None, txn.Transaction(uuid = "d"))
      LocalStore.put(s"${table.root}/_versions/${ManifestNaming.detachedFileName(number)}", bytes)
      table.replace("b")
      table.clean()
      assert(table.versions == Vector(2) && table.files == Set("data/a.lance", "data/b.lance"))
    }
  }

  test("a removed version is an error that says so") {
    withTable { table =>
      table.create("a")
      table.replace("b")
      table.clean()
      intercept[LanceTableNotFoundException](table.open(version = Some(1)))
    }
  }
}
