package io.sparklance.table.commit

import scala.util.Try

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.proto.{transaction => txn}
import io.sparklance.table.transaction.{Operation, Transaction}
import io.sparklance.table.{Manifest, ManifestCodec, ManifestNaming}
import io.sparklance.testkit.TableFixtures._
import io.sparklance.testkit.{DelegatingStore, MemoryStore, SteppedStore}
import io.sparklance.{
  CommitStateUnknownException,
  IncompatibleCommitConflictException,
  LanceTableNotFoundException,
  RetryableCommitConflictException
}

/** Commits that were begun on a table which was dropped meanwhile, and in whose place others created another
  * one: it must stay as it is, and the losers must leave nothing. Commits to a table of which old versions
  * were cleaned up must go through.
  */
class RecreatedTableSuite extends AnyFunSuite {
  import Commits._

  private val kinds = operations(latest(table()).manifest).map(_.name)

  /** Numbers of versions of the other table. The commits are begun at version 2. */
  private val others = Seq("fewer" -> 1, "as many" -> 2, "one more" -> 3, "many more" -> 9)

  private def path(version: Long) = s"$root/_versions/${ManifestNaming.V2.fileName(version)}"

  /** Drops the table, and creates another one with `versions` versions. */
  private def recreate(store: MemoryStore, versions: Int): Unit = {
    store.deleteTree(root)
    loop(store).commit(0, overwrite("other"))
    (2 to versions).foreach(i => loop(store).commit(i - 1L, append(s"other $i")))
  }

  private def contents(store: MemoryStore): Map[String, Seq[Byte]] =
    store.paths.filterNot(_.endsWith("hint.json")).map(path => path -> store.bytes(path).toSeq).toMap

  for ((name, kind) <- kinds.zipWithIndex; (count, versions) <- others) {
    test(s"$name, begun before the table was replaced by one of $count versions, is refused") {
      val store = table()
      val read = latest(store).manifest
      recreate(store, versions)
      val before = contents(store)
      val e = intercept[IncompatibleCommitConflictException] {
        loop(store).commit(transaction(operations(read)(kind)), Baseline.of(read))
      }
      assert(e.getMessage.contains(s"The $name to /t was begun at version 2 of a table that was dropped"))
      assert(
        e.getMessage.contains("was created later. Nothing was committed; read the table and write again.")
      )
      assert(contents(store) == before)
    }

    test(
      s"$name, while the table is replaced by one of $count versions at any step, is refused or comes before that"
    ) {
      val steps = Iterator.from(0).map(replacedAt(kind, versions, _)).indexWhere(_ == false)
      assert(steps >= 5, s"$name takes a few steps")
    }
  }

  private def transaction(operation: Operation) = Transaction(2, "mine", operation)

  /** False if the commit ended before that step. */
  private def replacedAt(kind: Int, versions: Int, at: Int): Boolean = {
    val store = table()
    val read = latest(store).manifest
    var expected = Option.empty[Map[String, Seq[Byte]]]
    val stepped = new SteppedStore(store) {
      override protected def step[A](number: Int)(call: => A): A = {
        if (number == at) {
          recreate(store, versions)
          expected = Some(contents(store))
        }
        call
      }
    }
    val ended = Try(loop(stepped).commit(transaction(operations(read)(kind)), Baseline.of(read)))
    expected.foreach { before =>
      val clue = s"${kinds(kind)}, $versions versions, step $at: $ended"
      ended.failed.foreach(e => assert(e.isInstanceOf[IncompatibleCommitConflictException], clue))
      assert(contents(store) == before, clue)
    }
    expected.isDefined
  }

  /** A table of which the version that a commit is begun at, and all before it, are removed after others have
    * committed.
    *
    * @param theirs
    *   operations of versions 3 and up
    */
  private def cleanedUp(theirs: Operation*): (MemoryStore, Baseline) = {
    val store = table()
    Seq("a", "b", "c", "d").foreach(name => store.put(s"$root/data/$name", Array[Byte](1)))
    val read = latest(store).manifest
    theirs.zipWithIndex.foreach { case (operation, i) => loop(store).commit(i + 2L, operation) }
    Seq(1L, 2L).foreach(version => store.delete(path(version)))
    (store, Baseline.of(read))
  }

  test("a table whose read version was cleaned up accepts commits") {
    val rewrite = operations(latest(table()).manifest).find(_.name == "Rewrite").get
    Seq(Seq(append("theirs")), Seq(append("x"), append("y")), Seq(rewrite)).foreach { theirs =>
      val (store, read) = cleanedUp(theirs: _*)
      assert(loop(store).commit(transaction(append("mine")), read).version == theirs.size + 3)
    }
  }

  test("a read version that was cleaned up, without a record of its table, is a retryable conflict") {
    val store = table()
    val read = latest(store).manifest
    recreate(store, 5)
    store.delete(path(2))
    val e = intercept[RetryableCommitConflictException] {
      loop(store).commit(transaction(append("mine")), Baseline.of(read))
    }
    assert(e.getMessage.contains(
      "version 2, but that version was removed meanwhile, so it is not known"
    ))
    assert(latest(store).manifest.version == 5)
  }

  test("the version that a new one is put on may be cleaned up right after that") {
    val (store, _) = cleanedUp(append("theirs"))
    val read = latest(store).manifest
    val cleaning = new DelegatingStore(store) {
      override def putIfAbsent(name: String, bytes: Array[Byte]): Boolean = {
        val isPut = store.putIfAbsent(name, bytes)
        store.delete(path(3))
        isPut
      }
    }
    assert(loop(cleaning).commit(Transaction(3, "mine", append("mine")), Baseline.of(read)).version == 4)
  }

  test("a table that is dropped right before a version is put stays dropped") {
    val store = table()
    val read = latest(store).manifest
    val dropping = new DelegatingStore(store) {
      override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
        store.deleteTree(root)
        store.putIfAbsent(path, bytes)
      }
    }
    val e = intercept[LanceTableNotFoundException] {
      loop(dropping).commit(transaction(append("mine")), Baseline.of(read))
    }
    assert(e.getMessage.contains("it was dropped after the write began") && store.paths.isEmpty)
  }

  test("a table that is dropped after an attempt has lost is a missing table") {
    val store = table()
    val read = latest(store).manifest
    val dropping = new DelegatingStore(store) {
      override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
        loop(store).commit(2, append("theirs"))
        store.deleteTree(root)
        false
      }
    }
    intercept[LanceTableNotFoundException] {
      loop(dropping).commit(transaction(append("mine")), Baseline.of(read))
    }
    assert(store.paths.isEmpty)
  }

  test("a version that was put into another table, and that others have built upon, is left and said so") {
    val store = table()
    val read = latest(store).manifest
    val racing = new DelegatingStore(store) {
      override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
        recreate(store, 2)
        val isPut = store.putIfAbsent(path, bytes)
        loop(store).commit(3, append("later"))
        isPut
      }
    }
    val e = intercept[CommitStateUnknownException] {
      loop(racing).commit(transaction(append("mine")), Baseline.of(read))
    }
    assert(e.getMessage.contains("version 3 was committed, and that version could not be taken back"))
    assert(latest(store).manifest.version == 4)
  }

  test("manifests without a transaction file are distinguished by their time and data files") {
    Seq(Seq("a", "b", "c", "d") -> true, Seq("a", "b", "c", "e") -> false).foreach { case (files, isSame) =>
      val store = table()
      val first = latest(store).manifest
      def unnamed(names: Seq[String]) = {
        val bare = first.message.copy(transactionFile = "", timestamp = None)
        val fragments = bare.fragments.zip(names).map { case (fragment, name) =>
          fragment.copy(files = fragment.files.map(_.copy(path = name)))
        }
        Manifest(bare.copy(fragments = fragments))
      }
      val read = unnamed(Seq("a", "b", "c", "d"))
      store.put(path(2), ManifestCodec.encode(unnamed(files), None, txn.Transaction(uuid = "u")))
      val ended = Try(loop(store).commit(transaction(append("mine")), Baseline.of(read)))
      assert(ended.isSuccess == isSame, ended)
    }
  }

  test(
    "what others read of the table does not matter to a commit that creates it, or that knows only a number"
  ) {
    val store = new MemoryStore
    assert(loop(store).commit(Transaction(0, "mine", overwrite("a")), Baseline.numbered(0)).version == 1)
    recreate(store, 2)
    assert(loop(store).commit(transaction(append("mine"))).version == 3)
  }
}
