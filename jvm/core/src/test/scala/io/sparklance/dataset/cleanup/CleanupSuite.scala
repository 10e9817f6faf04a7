package io.sparklance.dataset.cleanup

import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path}
import java.time.{Duration, Instant}
import java.util.{Comparator, UUID}

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.google.protobuf.ByteString
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{FileVersion, RowRanges}
import io.sparklance.dataset.TableDefinition
import io.sparklance.dataset.snapshot.RowAddress
import io.sparklance.dataset.{Dataset, RowChanges, TableRefs}
import io.sparklance.io.{FileEntry, LocalStore, ObjectStore}
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.table.transaction.Operation
import io.sparklance.table.{ManifestCodec, ManifestNaming, Versions}
import io.sparklance.testkit.DelegatingStore
import io.sparklance.testkit.TableFixtures._
import io.sparklance.{LanceFormatException, LanceTableNotFoundException, LanceUsageException}

/** Clean-up removes unneeded files and, above all, no others. */
class CleanupSuite extends AnyFunSuite {
  private val all = CleanupPolicy(olderThan = Some(Duration.ZERO))
  private val week = Duration.ofDays(7)

  private def withTable(test: Table => Any): Unit = {
    val directory = Files.createTempDirectory("sparklance")
    try {
      val _ = test(new Table(directory.resolve("t")))
    } finally
      Using.resource(Files.walk(directory))(_.sorted(Comparator.reverseOrder[Path]).forEach { path =>
        val _ = Files.deleteIfExists(path)
      })
  }

  /** A table whose data files have no contents. */
  private class Table(val path: Path) {
    val root: String = path.toString

    def open(store: ObjectStore = LocalStore, version: Option[Long] = None): Dataset =
      Dataset.open(store, root, version)

    def put(name: String, age: Duration = Duration.ZERO): Unit = {
      val file = path.resolve(name)
      Files.createDirectories(file.getParent)
      Files.write(file, new Array[Byte](100))
      val _ = Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)))
    }

    def create(names: String*): Dataset = {
      names.foreach(name => put(s"data/$name.lance"))
      Dataset.create(
        LocalStore,
        root,
        TableDefinition(schema, FileVersion.V2_2),
        names.map(n => written(s"$n.lance")).toVector
      )
    }

    def append(name: String): Dataset = {
      put(s"data/$name.lance")
      open().append(Vector(written(s"$name.lance")))
    }

    def replace(name: String): Dataset = {
      put(s"data/$name.lance")
      open().overwrite(schema, FileVersion.V2_2, Vector(written(s"$name.lance")))
    }

    def delete(row: Long): Dataset = {
      val latest = open()
      val address = RowRanges.ofRows(Array(RowAddress.of(latest.fragments.head.id, row)))
      latest.commit(RowChanges.delete(latest, address, "one")).dataset
    }

    /** Paths below the root, but for manifests and the hint. */
    def files: Set[String] = Using.resource(Files.walk(path)) { paths =>
      paths.iterator.asScala.filter(Files.isRegularFile(_)).map(path.relativize(_).toString).toSet
    }.filterNot(_.startsWith("_versions/")).filterNot(_.startsWith("_transactions/"))

    def versions: Vector[Long] = new Versions(LocalStore, root).list().map(_.version)

    def clean(policy: CleanupPolicy = all, store: ObjectStore = LocalStore): CleanupResult = {
      // Manifests are dated by this clock, too, and only older ones go.
      Thread.sleep(2)
      new Cleanup(open(store), policy).run()
    }
  }

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

  test("a plan says the same and removes nothing") {
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
      branch.commit(RowChanges.delete(branch, RowRanges.ofRows(Array(RowAddress.of(0, 1))), "one"))
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

  test("files of a write that is not committed yet stay until they are seven days old") {
    withTable { table =>
      table.create("a")
      val young = Seq(
        "data/w.lance",
        "_deletions/0-1-7.arrow",
        "_transactions/1-6f1f.txn",
        "_indices/0b0b/index.idx",
        "data/w/1.blob",
        "_sparklance/job/0a-1",
        "data/.tmp_w.lance_1",
        "_versions/.tmp_1.manifest"
      )
      young.foreach(table.put(_, week.minusMinutes(5)))
      assert(table.clean() == CleanupResult())
      young.foreach(table.put(_, week.plusMinutes(5)))
      val stats = table.clean()
      assert(stats.dataFilesRemoved == 2 && stats.deletionFilesRemoved == 1 && stats.indexFilesRemoved == 1)
      assert(stats.transactionFilesRemoved == 1 && stats.bytesRemoved == 800)
      assert(table.files == Set("data/a.lance"))
      assert(!Files.exists(table.path.resolve("_indices/0b0b")) &&
        !Files.exists(table.path.resolve("data/w")))
    }
  }

  test("whoever says that nobody writes gets them removed at once") {
    withTable { table =>
      table.create("a")
      table.put("data/w.lance")
      assert(table.clean(all.copy(deleteUnverified = true)).dataFilesRemoved == 1)
      assert(table.files == Set("data/a.lance"))
    }
  }

  test("what is not ours stays, whatever its age") {
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

  test("a version that is restored while clean-up is at work keeps its files") {
    withTable { table =>
      table.create("a")
      table.replace("b")
      var restored = false
      val store = new DelegatingStore(LocalStore) {
        // The first old version goes: now somebody who has read it commits.
        override def delete(path: String): Unit = {
          if (path.endsWith(".manifest") && !restored) {
            restored = true
            val _ = table.open().commit(Operation.Restore(1))
          }
          LocalStore.delete(path)
        }
      }
      table.clean(store = store)
      assert(restored && table.versions == Vector(2, 3))
      assert(table.files.contains("data/a.lance") && table.open().countRows == 10)
    }
  }

  test("appends and deletes that are committed while clean-up is at work keep their files") {
    withTable { table =>
      table.create("a")
      table.append("b")
      var begun = false
      val store = new DelegatingStore(LocalStore) {
        override def walk(directory: String)(visit: FileEntry => Unit): Unit = {
          if (directory.endsWith("/data") && !begun) {
            begun = true
            table.delete(2)
            val _ = table.append("c")
          }
          super.walk(directory)(visit)
        }
      }
      table.clean(all.copy(deleteUnverified = true), store)
      assert(begun && table.open().countRows == 29 && table.files.size == 4)
      assert(table.open().fragments.flatMap(_.deletionFile).size == 1)
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

  test(
    "a manifest that cannot be read, or has a flag that we do not know, ends clean-up before anything goes"
  ) {
    withTable { table =>
      val first = table.create("a")
      table.replace("b")
      val path = new Versions(LocalStore, table.root).list().head.path
      val flagged = first.manifest.message.copy(writerFeatureFlags = 1L << 40)
      val unknown = ManifestCodec.encode(first.manifest.copy(flagged), None, txn.Transaction(uuid = "d"))
      Seq(Array[Byte](1, 2, 3), unknown).foreach { bytes =>
        LocalStore.put(path, bytes)
        val _ = intercept[Exception](table.clean())
        assert(table.versions == Vector(1, 2) && table.files == Set("data/a.lance", "data/b.lance"))
      }
      LocalStore.put(path, Array[Byte](1, 2, 3))
      intercept[LanceFormatException](table.clean())
    }
  }

  test("our clock being ahead of the store's makes neither versions nor files look old") {
    withTable { table =>
      val policy = CleanupPolicy(olderThan = Some(Duration.ofDays(14)))
      table.create("a")
      table.replace("b")
      table.put("data/w.lance")
      // The store lives a year ago, and so do all who write to it.
      val year = Duration.ofDays(365)
      val store = new DelegatingStore(LocalStore) {
        private def dated(entry: FileEntry) =
          entry.copy(modifiedMillis = entry.modifiedMillis - year.toMillis)
        override def list(directory: String): Vector[FileEntry] = super.list(directory).map(dated)
        override def walk(directory: String)(visit: FileEntry => Unit): Unit =
          super.walk(directory)(entry => visit(dated(entry)))
      }
      assert(table.clean(policy, store) == CleanupResult())
      assert(table.versions == Vector(1, 2) && table.files.size == 3)
    }
  }

  test("a file that cannot be removed is counted, and goes the next time that it can") {
    withTable { table =>
      table.create("a")
      table.replace("b")
      val store = new DelegatingStore(LocalStore) {
        override def delete(path: String): Unit =
          if (path.endsWith("a.lance")) throw new java.io.IOException("no") else LocalStore.delete(path)
      }
      val stats = table.clean(store = store)
      assert(stats.failedDeletes == 1 && stats.dataFilesRemoved == 0 && table.versions == Vector(2))
      table.put("data/a.lance", week.plusMinutes(1))
      assert(table.clean().dataFilesRemoved == 1)
    }
  }

  test("a manifest that cannot be removed keeps all files from being removed") {
    withTable { table =>
      table.create("a")
      table.replace("b")
      val store = new DelegatingStore(LocalStore) {
        override def delete(path: String): Unit =
          if (path.endsWith(".manifest")) throw new java.io.IOException("no") else LocalStore.delete(path)
      }
      intercept[java.io.IOException](table.clean(store = store))
      assert(table.versions == Vector(1, 2) && table.open(version = Some(1)).countRows == 10)
      assert(table.files == Set("data/a.lance", "data/b.lance"))
    }
  }

  test("two clean-ups at the same time do no more than one") {
    withTable { table =>
      table.create("a")
      table.replace("b")
      table.replace("c")
      var other = false
      val store = new DelegatingStore(LocalStore) {
        override def delete(path: String): Unit = {
          if (!other) {
            other = true
            table.clean()
          }
          LocalStore.delete(path)
        }
      }
      table.clean(store = store)
      assert(other && table.versions == Vector(3) && table.files == Set("data/c.lance"))
    }
  }

  test("a version that is gone says so") {
    withTable { table =>
      table.create("a")
      table.replace("b")
      table.clean()
      intercept[LanceTableNotFoundException](table.open(version = Some(1)))
    }
  }
}
