package io.sparklance.table.commit

import java.io.IOException

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.io.{FileEntry, LatePutException}
import io.sparklance.table.transaction.Operation
import io.sparklance.testkit.TableFixtures._
import io.sparklance.testkit.{DelegatingStore, MemoryStore}
import io.sparklance.{CatalogUnauthenticatedException, CommitStateUnknownException}

/** Commits on stores that fail, answer late, or are interrupted. */
class CommitFailuresSuite extends AnyFunSuite with CommitLoops {
  test("a commit that took effect though the store reported an error is recognised") {
    val store = created()
    val lying = new DelegatingStore(store) {
      override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
        assert(store.putIfAbsent(path, bytes))
        throw new IOException("connection reset")
      }
    }
    assert(loop(lying).commit(1, append("mine")).version == 2)
    assert(files(latest(store)) == Vector("first", "mine") && transactionFiles(store).size == 2)
  }

  test(
    "a commit that took effect though the store said that the name was taken is recognised, even behind others"
  ) {
    val store = created()
    val retrying = new DelegatingStore(store) {
      override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
        assert(store.putIfAbsent(path, bytes))
        loop(store).commit(2, append("later"))
        false
      }
    }
    assert(loop(retrying).commit(1, append("mine")).version == 2)
    assert(files(latest(store)) == Vector("first", "mine", "later"))
  }

  test("a store that cannot put a manifest ends the commit: nothing stays") {
    val store = created()
    var puts = 0
    val full = new DelegatingStore(store) {
      override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
        puts += 1
        throw new IOException("disk full")
      }
    }
    assert(intercept[IOException](loop(full).commit(1, append("mine"))).getMessage == "disk full")
    assert(puts == 3 && latest(store).version == 1 && transactionFiles(store).size == 1)
  }

  test("an interrupt waits until a commit has come to its end, deletion files of many fragments included") {
    val store = new MemoryStore
    loop(store).commit(0, overwrite((0 until 16).map(i => s"f$i"): _*))
    val manifest = latest(store)
    val rows = manifest.fragments.flatMap(fragment => Commits.affected(manifest, fragment.id, 2))
    Thread.currentThread().interrupt()
    val interrupted =
      try { loop(store).commit(1, Operation.Delete.of(rows, "")); Thread.interrupted() }
      finally { val _ = Thread.interrupted() }
    assert(interrupted && latest(store).fragments.count(_.deletionFile.isDefined) == 16)
  }

  test("a put that was given up and may still take effect leaves all files, and says so") {
    val store = Commits.table()
    val unheard = mutable.ArrayBuffer.empty[(String, Array[Byte])]
    val slow = new DelegatingStore(store) {
      override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
        unheard += path -> bytes
        throw new LatePutException("no answer", null)
      }
    }
    val deleting = Operation.Delete.of(Commits.affected(latest(store), 1, 2), "")
    val e = intercept[CommitStateUnknownException](loop(slow).commit(2, deleting))
    assert(
      e.getMessage.contains("may yet take effect: the store did not say what became of version 3 (no answer)")
    )
    assert(unheard.size == 3 && transactionFiles(store).size == 3)
    val (path, manifest) = unheard.last
    store.put(path, manifest)
    val deletions =
      latest(store).fragments.flatMap(f => f.deletionFile.map(_.path("/t", f.id)))
    assert(deletions.size == 2 && deletions.forall(store.paths.contains))
  }

  test("a put that was given up cannot take effect any more when its version is another's: nothing stays") {
    val store = created()
    val late = new DelegatingStore(store) {
      private var puts = 0
      override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
        puts += 1
        loop(store).commit(latest(store).version, append(s"theirs-$puts"))
        throw new LatePutException("no answer", null)
      }
    }
    intercept[LatePutException](loop(late).commit(1, append("mine")))
    assert(transactionFiles(store).size == 4)
  }

  test("if the table cannot be read after a put, the state is unknown and nothing is cleaned up") {
    val store = created()
    var broken = false
    val dying = new DelegatingStore(store) {
      override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
        broken = true
        throw new IOException("connection reset")
      }
      override def list(directory: String): Vector[FileEntry] =
        if (broken) throw new IOException("host unreachable") else store.list(directory)
    }
    val e = intercept[CommitStateUnknownException](loop(dying).commit(1, append("mine")))
    assert(e.getMessage.contains("may or may not have taken effect") &&
      e.getMessage.contains("host unreachable"))
    assert(transactionFiles(store).size == 2)
  }

  test("keys that a server gives no more are no refusal of a put: its first try may have taken effect") {
    val store = created()
    var isOver = false
    def refuse() = throw new CatalogUnauthenticatedException("no more keys")
    val expiring = new DelegatingStore(store) {
      override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
        assert(store.putIfAbsent(path, bytes))
        isOver = true
        refuse()
      }
      override def list(directory: String): Vector[FileEntry] =
        if (isOver) refuse() else store.list(directory)
    }
    intercept[CommitStateUnknownException](loop(expiring).commit(1, append("mine")))
    assert(files(latest(store)) == Vector("first", "mine") && transactionFiles(store).size == 2)
  }

  test("a crash at any step leaves a table that is whole and can be written to") {
    class Crash extends Error("crash")
    (0 until 6).foreach { step =>
      val store = created()
      var left = step
      def mayCrash(): Unit = { if (left == 0) throw new Crash; left -= 1 }
      val crashing = new DelegatingStore(store) {
        override def put(path: String, bytes: Array[Byte]): Unit = {
          mayCrash(); store.put(path, bytes); mayCrash()
        }
        override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
          mayCrash()
          val done = store.putIfAbsent(path, bytes)
          mayCrash()
          done
        }
      }
      val landed = try { loop(crashing).commit(1, append("mine")); true }
      catch { case _: Crash => step > 2 }
      val expected = Vector("first") ++ Option.when(landed)("mine")
      assert(files(latest(store)) == expected, step)
      loop(store).commit(latest(store).version, append("next"))
      assert(files(latest(store)) == expected :+ "next", step)
    }
  }
}
