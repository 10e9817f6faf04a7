package io.sparklance.table.commit

import java.io.{FileNotFoundException, IOException}
import java.util.concurrent.{Callable, Executors}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.io.{FileEntry, LatePutException, ObjectStore, ReadableFile}
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.table.transaction.{Operation, OperationCodec}
import io.sparklance.table.{Manifest, ManifestCodec, ManifestNaming, Versions}
import io.sparklance.testkit.TableFixtures._
import io.sparklance.testkit.{DelegatingStore, MemoryStore}
import io.sparklance.{
  CommitConflictException,
  CommitStateUnknownException,
  IncompatibleCommitConflictException,
  LanceFormatException,
  LanceTableNotFoundException,
  LanceUsageException,
  RetryableCommitConflictException,
  UnsupportedLanceFeatureException
}

class CommitLoopSuite extends AnyFunSuite {

  private def loop(store: ObjectStore) = new CommitLoop(store, "/t", _ => ())

  /** A table with one fragment at version 1. */
  private def created(): MemoryStore = {
    val store = new MemoryStore
    loop(store).commit(0, overwrite("first"))
    store
  }

  private def latest(store: ObjectStore): Manifest = {
    val versions = new Versions(store, "/t")
    versions.read(versions.latest().get)
  }

  private def files(manifest: Manifest): Vector[String] = manifest.fragments.flatMap(_.files).map(_.path)

  private def transactionFiles(store: MemoryStore): Vector[String] =
    store.paths.filter(_.startsWith("/t/_transactions/"))

  /** Commits for another software, with a transaction that is given as its message. */
  private def commitForeign(store: MemoryStore, transaction: Option[txn.Transaction.Operation]): Unit = {
    val versions = new Versions(store, "/t")
    val next = latest(store).message.copy(version = latest(store).version + 1, transactionFile = "")
    val message =
      txn.Transaction(uuid = "theirs", operation = transaction.getOrElse(txn.Transaction.Operation.Empty))
    val bytes = ManifestCodec.encode(Manifest(next), None, message)
    val stored = transaction.fold(withoutTransaction(next))(_ => bytes)
    store.put(versions.path(next.version, ManifestNaming.V2), stored)
  }

  private def withoutTransaction(message: pb.Manifest): Array[Byte] =
    ManifestCodec.encode(Manifest(message), None, txn.Transaction(uuid = "x" * (21 << 20)))

  test("a commit leaves the manifest, the transaction in it and in a file, and the hint") {
    val store = created()
    val committed = loop(store).commit(1, append("second"))
    assert(committed.version == 2)
    assert(files(latest(store)) == Vector("first", "second"))
    val versions = new Versions(store, "/t")
    val inline = versions.readWhole(versions.latest().get).transaction.get
    assert(latest(store).message.transactionFile == s"1-${inline.uuid}.txn")
    assert(store.bytes(s"/t/_transactions/1-${inline.uuid}.txn").toSeq == inline.toByteArray.toSeq)
    assert(new String(store.bytes("/t/_versions/latest_version_hint.json")) == "{\"version\":2}")
    assert(store.exists("/t/_versions/18446744073709551613.manifest"))
  }

  test("a table is created once") {
    val store = created()
    val e = intercept[LanceUsageException](loop(store).commit(0, overwrite("again")))
    assert(e.getMessage.contains("A table exists at /t already"))
    assert(files(latest(store)) == Vector("first") && transactionFiles(store).size == 1)
  }

  test("of many who create the table at once, one does") {
    val store = new MemoryStore
    val outcomes = concurrently(8)(i => scala.util.Try(loop(store).commit(0, overwrite(s"f$i"))))
    assert(outcomes.count(_.isSuccess) == 1)
    outcomes.flatMap(_.failed.toOption).foreach(e => assert(e.isInstanceOf[LanceUsageException]))
    assert(latest(store).version == 1 && transactionFiles(store).size == 1)
  }

  test("appends begun at the same version all stand") {
    val store = created()
    (1 to 5).foreach(i => loop(store).commit(1, append(s"f$i")))
    assert(latest(store).version == 6)
    assert(files(latest(store)) == "first" +: (1 to 5).map(i => s"f$i").toVector)
    assert(latest(store).fragments.map(_.id) == (0L to 5L).toVector)
  }

  test("interleaved appends of many threads lose no rows") {
    val store = created()
    val committer = new CommitLoop(store, "/t")
    concurrently(4)(t => (1 to 15).foreach(i => committer.commit(1, append(s"$t-$i"))))
    val manifest = latest(store)
    assert(manifest.version == 61)
    assert(files(manifest).toSet == (for (t <- 0 until 4; i <- 1 to 15) yield s"$t-$i").toSet + "first")
    assert(manifest.fragments.map(_.id) == (0L to 60L).toVector)
    assert(transactionFiles(store).size == 61)
  }

  test("the directory's naming scheme is kept") {
    val store = created()
    val first = store.bytes("/t/_versions/18446744073709551614.manifest")
    store.delete("/t/_versions/18446744073709551614.manifest")
    store.put("/t/_versions/1.manifest", first)
    loop(store).commit(1, append("second"))
    assert(store.exists("/t/_versions/2.manifest"))
  }

  test(
    "a pair that does not go together conflicts: the error names the winner's operation and version; its own transaction file goes"
  ) {
    val winners = Seq(
      "Restore" -> txn.Transaction.Operation.Restore(txn.Transaction.Restore(1)),
      "DataOverlay" -> txn.Transaction.Operation.DataOverlay(txn.Transaction.DataOverlay()),
      "Overwrite" -> txn.Transaction.Operation.Overwrite(txn.Transaction.Overwrite()),
      "unknown operation" -> txn.Transaction.Operation.Empty
    )
    winners.foreach { case (name, operation) =>
      val store = created()
      commitForeign(store, Some(operation))
      val e = intercept[CommitConflictException](loop(store).commit(1, append("mine")))
      assert(e.getMessage.contains(s"The Append to /t, begun at version 1, conflicts with version 2 ($name)"))
      assert(e.getMessage.contains("Nothing was committed; read the latest version and write again"))
      assert(latest(store).version == 2 && transactionFiles(store).size == 1)
    }
    val store = created()
    loop(store).commit(1, overwrite("theirs"))
    val e = intercept[RetryableCommitConflictException](loop(store).commit(1, overwrite("mine")))
    assert(e.getMessage.contains("conflicts with version 2 (Overwrite)"))
  }

  test("a winner whose transaction is only in its file is understood") {
    val store = created()
    val theirs = io.sparklance.table.transaction.Transaction(1, "theirs", append("theirs"))
    store.put("/t/_transactions/1-theirs.txn", OperationCodec.encode(theirs).toByteArray)
    val message = latest(store).message.copy(version = 2, transactionFile = "1-theirs.txn")
    store.put("/t/_versions/18446744073709551613.manifest", withoutTransaction(message))
    assert(loop(store).commit(1, append("mine")).version == 3)
  }

  test("a transaction is not looked for outside of its directory") {
    val store = created()
    Seq("../../elsewhere.txn", "/etc/passwd").foreach { name =>
      val message = latest(store).message.copy(version = 2, transactionFile = name)
      store.put("/t/_versions/18446744073709551613.manifest", withoutTransaction(message))
      val e = intercept[LanceFormatException](loop(store).commit(1, append("mine")))
      assert(e.getMessage.contains(s"the manifest names $name as its transaction's file"))
    }
  }

  test("a winner that tells nothing of its change is a conflict") {
    val store = created()
    commitForeign(store, None)
    val e = intercept[RetryableCommitConflictException](loop(store).commit(1, append("mine")))
    assert(e.getMessage.contains("conflicts with version 2, which says nothing of what it changed"))
  }

  test("a version in between that was cleaned up is a conflict") {
    val store = created()
    loop(store).commit(1, append("second"))
    loop(store).commit(2, append("third"))
    store.delete("/t/_versions/18446744073709551613.manifest")
    assert(intercept[CommitConflictException](loop(store).commit(
      1,
      append("mine")
    )).getMessage.contains("version 2"))
  }

  test(
    "a version in between that the listing lacks, as one does while versions are added, is looked for by its name"
  ) {
    val store = created()
    (1 to 7).foreach(i => loop(store).commit(1, append(s"f$i")))
    val blind = new DelegatingStore(store) {
      override def list(directory: String): Vector[FileEntry] = {
        val hidden = Seq(3L, 7L).map(ManifestNaming.V2.fileName)
        super.list(directory).filterNot(entry => hidden.contains(entry.name))
      }
    }
    val committed = loop(blind).commit(1, append("last"))
    assert(committed.version == 9 && files(latest(store)).toSet.size == 9)
  }

  test("the latest version may be cleaned up before it is read: then there is a later one") {
    val store = created()
    var isFirst = true
    val cleaning = new DelegatingStore(store) {
      override def open(path: String, knownSize: Option[Long]): ReadableFile = {
        if (isFirst) {
          isFirst = false
          loop(store).commit(1, append("theirs"))
          store.delete("/t/_versions/18446744073709551614.manifest")
        }
        store.open(path, knownSize)
      }
    }
    assert(loop(cleaning).commit(1, append("mine")).version == 3)
    assert(files(latest(store)) == Vector("first", "theirs", "mine"))
    store.delete("/t/_versions/18446744073709551612.manifest")
    val lost = new DelegatingStore(store) {
      override def open(path: String, knownSize: Option[Long]): ReadableFile =
        throw new FileNotFoundException(path)
    }
    intercept[LanceTableNotFoundException](loop(lost).commit(2, append("mine")))
  }

  test("a table that was dropped, or dropped and created anew, is not written to") {
    val store = new MemoryStore
    val gone = intercept[LanceTableNotFoundException](loop(store).commit(3, append("mine")))
    assert(gone.getMessage.contains("There is no table at /t any more"))
    loop(store).commit(0, overwrite("anew"))
    val replaced = intercept[IncompatibleCommitConflictException](loop(store).commit(3, append("mine")))
    assert(replaced.getMessage.contains("was begun at version 3 of a table that was dropped"))
  }

  test("a table with a flag that is not honoured is not written to") {
    Seq(6 -> "data overlay files", 20 -> "unknown").foreach { case (bit, name) =>
      val (store, path) = (created(), "/t/_versions/18446744073709551614.manifest")
      val flagged = latest(store).message.copy(writerFeatureFlags = 1L << bit)
      store.put(path, ManifestCodec.encode(Manifest(flagged), None, txn.Transaction(uuid = "u")))
      val e = intercept[UnsupportedLanceFeatureException](loop(store).commit(1, append("mine")))
      assert(e.getMessage.contains(s"writing to a table with feature flag bit $bit ($name)"))
      assert(e.location.file.contains(path))
      assert(latest(store).version == 1 && transactionFiles(store).size == 1)
    }
  }

  test("where the table wants no transaction files, none is written but for one too large for the manifest") {
    val store = created()
    val flagged = latest(store).message.copy(writerFeatureFlags = 32, transactionFile = "")
    store.put(
      "/t/_versions/18446744073709551614.manifest",
      ManifestCodec.encode(Manifest(flagged), None, txn.Transaction(uuid = "u"))
    )
    loop(store).commit(1, append("mine"))
    assert(latest(store).message.transactionFile.isEmpty && transactionFiles(store).size == 1)
    assert(latest(store).message.writerFeatureFlags == 32)
    loop(store).commit(2, append("x" * (21 << 20)))
    assert(latest(store).message.transactionFile.startsWith("2-") && transactionFiles(store).size == 2)
  }

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

  test("a writer that always loses gives up after 20 attempts") {
    val store = created()
    val crowded = new DelegatingStore(store) {
      override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
        loop(store).commit(latest(store).version, append("theirs"))
        store.putIfAbsent(path, bytes)
      }
    }
    val e = intercept[RetryableCommitConflictException](loop(crowded).commit(1, append("mine")))
    assert(e.getMessage.contains("lost to other writers 20 times in a row") &&
      e.getMessage.contains("version 21"))
    assert(latest(store).version == 21 && !files(latest(store)).contains("mine"))
    assert(transactionFiles(store).size == 21)
  }

  test("who lost a race takes the name of the next version before all else") {
    val store = created()
    var calls = Vector.empty[String]
    val racing = new DelegatingStore(store) {
      override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
        calls :+= "put"
        loop(store).commit(latest(store).version, append("theirs"))
        store.putIfAbsent(path, bytes)
      }
      override def claim(path: String, bytes: Array[Byte]): Boolean = {
        calls :+= "claim"
        store.putIfAbsent(path, bytes)
      }
    }
    assert(loop(racing).commit(1, append("mine")).version == 3)
    assert(calls == Vector("put", "claim") && transactionFiles(store).size == 3)
  }

  test(
    "versions that are made while many others are looked at are looked at, too, before a manifest is built"
  ) {
    val store = created()
    (1 to 10).foreach(i => loop(store).commit(i.toLong, append(s"theirs $i")))
    var opened = Vector.empty[String]
    val busy = new DelegatingStore(store) {
      override def open(path: String, knownSize: Option[Long]): ReadableFile = {
        if (opened.size < 5) loop(store).commit(latest(store).version, append(s"theirs ${11 + opened.size}"))
        opened :+= path
        store.open(path, knownSize)
      }
    }
    val CommitOutcome.Committed(manifest, attempts) = loop(busy).commit(1, append("mine")): @unchecked
    assert(attempts == 1 && manifest.version == 17)
    assert(
      opened.filter(_.endsWith(".manifest")).distinct.size == 15 && opened.size <= 17,
      "each is read once, and the latest once more after the put"
    )
  }

  test("an attempt that comes to the same transaction writes no file of it again") {
    val store = created()
    var written = 0
    var losses = 3
    val racing = new DelegatingStore(store) {
      override def putExpendable(path: String, bytes: Array[Byte]): Unit = {
        if (path.endsWith(".txn")) written += 1
        store.put(path, bytes)
      }
      override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
        losses -= 1
        if (losses >= 0) loop(store).commit(latest(store).version, append("theirs"))
        store.putIfAbsent(path, bytes)
      }
    }
    assert(loop(racing).commit(1, append("mine")).version == 5)
    assert(written == 1)
  }

  test("operations without fragments still make a version") {
    val store = created()
    assert(loop(store).commit(1, Operation.Append(Vector.empty)).version == 2)
    loop(store).commit(2, overwrite())
    assert(latest(store).fragments.isEmpty)
  }

  private def concurrently[A](threads: Int)(body: Int => A): Vector[A] = {
    val pool = Executors.newFixedThreadPool(threads)
    try pool.invokeAll(
        (0 until threads).map(i => (() => body(i)): Callable[A]).asJava
      ).asScala.map(_.get).toVector
    finally pool.shutdown()
  }
}
