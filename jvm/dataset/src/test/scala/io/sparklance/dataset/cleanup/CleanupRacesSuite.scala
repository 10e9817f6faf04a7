package io.sparklance.dataset.cleanup

import java.nio.file.Files
import java.time.Duration

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException
import io.sparklance.io.{FileEntry, LocalStore}
import io.sparklance.proto.{transaction => txn}
import io.sparklance.table.transaction.Operation
import io.sparklance.table.{ManifestCodec, Versions}
import io.sparklance.testkit.DelegatingStore

/** Clean-up while others write, and on stores that fail. */
class CleanupRacesSuite extends AnyFunSuite with CleanupTables {
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

  test("they are removed at once if the caller excludes concurrent writers") {
    withTable { table =>
      table.create("a")
      table.put("data/w.lance")
      assert(table.clean(all.copy(deleteUnverified = true)).dataFilesRemoved == 1)
      assert(table.files == Set("data/a.lance"))
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
}
