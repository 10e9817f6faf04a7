package io.sparklance.table.commit

import java.io.FileNotFoundException
import java.util.concurrent.{Callable, Executors}

import scala.jdk.CollectionConverters._

import com.google.protobuf.ByteString
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.io.{FileEntry, ReadableFile}
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.table.transaction.{DroppedIndices, Operation}
import io.sparklance.table.{ManifestNaming, Versions}
import io.sparklance.testkit.TableFixtures._
import io.sparklance.testkit.{DelegatingStore, MemoryStore}
import io.sparklance.{LanceTableNotFoundException, RetryableCommitConflictException}

/** Commits that meet others. */
class CommitRacesSuite extends AnyFunSuite with CommitLoops {
  test("of many who create the table at once, one does") {
    val store = new MemoryStore
    val outcomes = concurrently(8)(i => scala.util.Try(loop(store).commit(0, overwrite(s"f$i"))))
    assert(outcomes.count(_.isSuccess) == 1)
    outcomes.flatMap(_.failed.toOption).foreach(e => assert(e.isInstanceOf[RetryableCommitConflictException]))
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

  test("an overwrite names all indices that it drops, also those that were made while it lost a race") {
    def index(name: String) = Operation.CreateIndex(txn.Transaction.CreateIndex(Seq(
      pb.IndexMetadata(uuid = Some(pb.UUID(ByteString.copyFromUtf8(name))), name = name)
    )))
    val store = created()
    Seq("second", "first", "__lance_frag_reuse").foreach(name =>
      loop(store).commit(latest(store).version, index(name))
    )
    var hasLost = false
    val racing = new DelegatingStore(store) {
      override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
        if (!hasLost) loop(store).commit(latest(store).version, index("theirs"))
        hasLost = true
        store.putIfAbsent(path, bytes)
      }
    }
    val outcome = loop(racing).commit(1, overwrite("mine"))
    val CommitOutcome.Committed(manifest, attempts, dropped) = outcome: @unchecked
    assert(attempts == 2 && dropped == Vector("first", "second", "theirs"))
    val versions = new Versions(store, "/t")
    val stored = versions.readWhole(versions.latest().get)
    assert(stored.transaction.get.transactionProperties(DroppedIndices.Property) == "first, second, theirs")
    assert(stored.indexSection.isEmpty && manifest.version == 6)
    val again = loop(store).commit(6, overwrite("again"))
    assert(again.version == 7)
    assert(
      !versions.readWhole(versions.latest().get).transaction.get.transactionProperties
        .contains(DroppedIndices.Property)
    )
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
    val CommitOutcome.Committed(manifest, attempts, _) = loop(busy).commit(1, append("mine")): @unchecked
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

  private def concurrently[A](threads: Int)(body: Int => A): Vector[A] = {
    val pool = Executors.newFixedThreadPool(threads)
    try pool.invokeAll(
        (0 until threads).map(i => (() => body(i)): Callable[A]).asJava
      ).asScala.map(_.get).toVector
    finally pool.shutdown()
  }
}
