package io.sparklance.table.commit

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.IncompatibleCommitConflictException
import io.sparklance.io.ObjectStore
import io.sparklance.table.transaction.{BatchId, Operation}
import io.sparklance.table.{ManifestNaming, Versions}
import io.sparklance.testkit.TableFixtures._
import io.sparklance.testkit.{DelegatingStore, MemoryStore}

class CommittedBatchesSuite extends AnyFunSuite {
  private def loop(store: ObjectStore) = new CommitLoop(store, "/t", _ => ())

  private def commit(store: ObjectStore, readVersion: Long, batch: BatchId): CommitOutcome =
    loop(store).commit(readVersion, append(s"${batch.application}-${batch.number}"), batch.properties)

  /** Version 1 without a batch, then batches 3 of `a`, 8 of `b` and 4 of `a`. */
  private def table(): MemoryStore = {
    val store = new MemoryStore
    loop(store).commit(0, overwrite("first"))
    Seq(BatchId("a", 3), BatchId("b", 8), BatchId("a", 4)).zipWithIndex.foreach { case (batch, i) =>
      commit(store, i + 1L, batch)
    }
    store
  }

  private def version(store: MemoryStore, batch: BatchId, last: Long = 4) =
    new CommittedBatches(store, "/t").version(batch, last)

  private def files(store: MemoryStore): Vector[String] = {
    val versions = new Versions(store, "/t")
    versions.read(versions.latest().get).fragments.flatMap(_.files).map(_.path)
  }

  test("the newest batch of an application tells which ones are there") {
    val store = table()
    assert(version(store, BatchId("a", 4)).contains(4L))
    assert(version(store, BatchId("a", 3)).contains(4L))
    assert(version(store, BatchId("a", 5)).isEmpty)
    assert(version(store, BatchId("b", 8)).contains(3L))
    assert(version(store, BatchId("c", 0)).isEmpty)
  }

  test("versions after the last that is asked for do not count, and those cleaned up are forgotten") {
    val store = table()
    assert(version(store, BatchId("a", 4), last = 3).isEmpty)
    assert(version(store, BatchId("a", 3), last = 3).contains(2L))
    store.delete(new Versions(store, "/t").path(3, ManifestNaming.V2))
    assert(version(store, BatchId("b", 8)).isEmpty)
  }

  test("a batch that someone else commits meanwhile is not committed again") {
    val store = table()
    assert(commit(store, 3, BatchId("a", 4)) == CommitOutcome.Repeated(4))
    assert(new Versions(store, "/t").list().size == 4)
    assert(store.paths.count(_.startsWith("/t/_transactions/")) == 4)
  }

  test("of two that put the same batch at once, one stands") {
    val store = table()
    val batch = BatchId("a", 5)
    val raced = new DelegatingStore(store) {
      override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = {
        val _ = commit(store, 4, batch)
        store.putIfAbsent(path, bytes)
      }
    }
    assert(commit(raced, 4, batch) == CommitOutcome.Repeated(5))
    assert(store.paths.count(_.startsWith("/t/_transactions/")) == 5)
  }

  test("a batch that a RESTORE took back is not committed, until a later RESTORE brings it back") {
    val store = table()
    loop(store).commit(4, Operation.Restore(2))
    assert(version(store, BatchId("a", 4), last = 5).isEmpty)
    assert(version(store, BatchId("b", 8), last = 5).isEmpty)
    assert(version(store, BatchId("a", 3), last = 5).contains(2L))
    assert(version(store, BatchId("a", 4)).contains(4L), "in the history of version 4")
    commit(store, 5, BatchId("b", 9))
    assert(version(store, BatchId("b", 8), last = 6).contains(6L))
    loop(store).commit(6, Operation.Restore(4))
    assert(version(store, BatchId("a", 4), last = 7).contains(4L))
    assert(version(store, BatchId("b", 9), last = 7).isEmpty)
    loop(store).commit(7, Operation.Restore(5))
    assert(version(store, BatchId("a", 4), last = 8).isEmpty)
    assert(version(store, BatchId("a", 3), last = 8).contains(2L))
  }

  test("a batch that was taken back is committed again") {
    val store = table()
    loop(store).commit(4, Operation.Restore(2))
    assert(commit(store, 5, BatchId("a", 4)).version == 6)
    assert(commit(store, 5, BatchId("a", 4)) == CommitOutcome.Repeated(6))
    assert(files(store) == Vector("first", "a-3", "a-4"))
  }

  test("a batch that others commit and take back meanwhile is committed, or conflicts with the RESTORE") {
    val store = table()
    commit(store, 4, BatchId("a", 5))
    loop(store).commit(5, Operation.Restore(4))
    intercept[IncompatibleCommitConflictException](commit(store, 4, BatchId("a", 5)))
    val replacing = loop(store).commit(4, overwrite("a-5"), BatchId("a", 5).properties)
    assert(replacing.version == 7 && files(store) == Vector("a-5"))
    loop(store).commit(7, Operation.Restore(5))
    val repeated = loop(store).commit(4, overwrite("a-5"), BatchId("a", 5).properties)
    assert(repeated == CommitOutcome.Repeated(5))
  }

  test("properties that are no batch are read as none") {
    assert(BatchId.of(Map("sparklance.txnAppId" -> "a", "sparklance.txnVersion" -> "x")).isEmpty)
    assert(BatchId.of(Map("sparklance.txnAppId" -> "a")).isEmpty)
    assert(BatchId.of(BatchId("a", 1).properties).contains(BatchId("a", 1)))
  }
}
