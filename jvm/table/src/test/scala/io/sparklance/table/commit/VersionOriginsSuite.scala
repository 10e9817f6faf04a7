package io.sparklance.table.commit

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CyclicBarrier, TimeUnit}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.io.{FileEntry, ObjectStore, ReadProfile, ReadableFile}
import io.sparklance.proto.transaction.Transaction
import io.sparklance.table.transaction.Operation
import io.sparklance.table.{ManifestNaming, Versions}
import io.sparklance.testkit.TableFixtures.{append, overwrite}
import io.sparklance.testkit.{DelegatingStore, MemoryStore}
import io.sparklance.{LanceFormatException, RetryableCommitConflictException}

class VersionOriginsSuite extends AnyFunSuite {
  private def loop(store: ObjectStore) = new CommitLoop(store, "/t", _ => ())
  private def path(version: Long) = s"/t/_versions/${ManifestNaming.V2.fileName(version)}"

  /** Versions 1 to `last`, in a store that takes long to answer. */
  private def table(last: Int): MemoryStore = {
    val store = new MemoryStore(ReadProfile.remote("memory"))
    loop(store).commit(0, overwrite("first"))
    (2 to last).foreach(i => loop(store).commit(i - 1L, append(s"f$i")))
    store
  }

  test("a distant store is asked for many versions at a time, and there is an order in them all the same") {
    val store = table(9)
    val all = new CyclicBarrier(8)
    val meeting = new DelegatingStore(store) {
      override def open(path: String, knownSize: Option[Long]): ReadableFile = {
        all.await(60, TimeUnit.SECONDS)
        store.open(path, knownSize)
      }
    }
    val versions = new Versions(meeting, "/t")
    val listed = versions.since(1).map(file => file.version -> file).toMap
    val made = new VersionOrigins(meeting, versions, new TransactionFiles(meeting, "/t"))
    val found = made((2L to 9L).iterator, listed, ManifestNaming.V2).toVector
    assert(found.map(_._1) == (2L to 9L).toVector)
    assert(found.map(_._2.flatMap(_.transaction).map(_.readVersion)) == (1L to 8L).map(Some(_)).toVector)
  }

  test("fewer are read at a time if they are large, and one at a time from local files") {
    def most(reading: ReadProfile, size: Long): Int = {
      val store = table(40)
      val (now, most) = (new AtomicInteger, new AtomicInteger)
      val counting = new DelegatingStore(store) {
        override def profile: ReadProfile = reading
        override def list(directory: String): Vector[FileEntry] =
          super.list(directory).map(_.copy(size = size))
        override def open(path: String, knownSize: Option[Long]): ReadableFile = {
          most.accumulateAndGet(now.incrementAndGet(), math.max(_, _))
          try store.open(path, knownSize)
          finally { val _ = now.decrementAndGet() }
        }
      }
      assert(loop(counting).commit(1, append("mine")).version == 41)
      most.get
    }
    val remote = ReadProfile.remote("memory")
    assert(most(remote, 20L << 20) <= 2 && most(remote, 40L << 20) == 1)
    assert(most(remote, 100) <= 15 && most(ReadProfile.Local, 100) == 1)
  }

  test("the first version that is in the way counts, not a later one that cannot be read") {
    val store = table(9)
    store.put(path(7), new Array[Byte](100))
    intercept[LanceFormatException](loop(store).commit(1, append("mine")))
    val merge = Operation.Merge(Transaction.Merge())
    val message = intercept[RetryableCommitConflictException](loop(store).commit(1, merge)).getMessage
    assert(message.contains("version 2 (Append)"))
  }

  test("an interrupt waits until they are read, and the commit that asked for them has come to its end") {
    val store = table(9)
    Thread.currentThread().interrupt()
    val interrupted =
      try { loop(store).commit(1, append("mine")); Thread.interrupted() }
      finally { val _ = Thread.interrupted() }
    assert(interrupted && new Versions(store, "/t").latest().map(_.version).contains(10L))
  }
}
