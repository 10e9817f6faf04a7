package io.sparklance.table.commit

import java.io.IOException

import scala.collection.mutable
import scala.util.{Failure, Success, Try}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.io.{CommitHandler, ManifestRecord, ManifestRecords, ObjectStore}
import io.sparklance.table.Versions
import io.sparklance.testkit.TableFixtures.{append, overwrite}
import io.sparklance.testkit.{DelegatingStore, MemoryStore}
import io.sparklance.{CommitConflictException, CommitStateUnknownException, LanceFormatException}

/** Commits that a database orders: every step fails, and readers find what others have left. */
class ExternalManifestsSuite extends AnyFunSuite {
  private val root = "s3a://bucket/t"

  /** S3 as it was: what is put replaces what is there, and nothing else is to be had. */
  private class Bucket(inner: MemoryStore, records: ManifestRecords, hasBuckets: Boolean = false)
      extends DelegatingStore(inner) {
    override val commits: CommitHandler = new ExternalManifests(records, hasBuckets)
    override def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = throw new IOException("not here")
  }

  private def loop(store: ObjectStore) = new CommitLoop(store, root, _ => ())
  private def versions(store: ObjectStore): Vector[Long] = new Versions(store, root).list().map(_.version)
  private def staged(store: MemoryStore): Vector[String] = store.paths.filter(_.contains(".manifest-"))

  private def table(): (MemoryStore, MemoryRecords) = {
    val (memory, records) = (new MemoryStore, new MemoryRecords)
    loop(new Bucket(memory, records)).commit(0, overwrite("a"))
    (memory, records)
  }

  test("a commit leaves a manifest at its place and a record of it, as the reference writes them") {
    val (memory, records) = table()
    loop(new Bucket(memory, records)).commit(1, append("b"))
    val manifest = memory.bytes(s"$root/_versions/18446744073709551613.manifest")
    assert(
      records.all(2) ==
        ManifestRecord(2, "t/_versions/18446744073709551613.manifest", Some(manifest.length.toLong))
    )
    assert(versions(new Bucket(memory, records)) == Vector(1, 2) && staged(memory).isEmpty)
  }

  test("a commit that stopped after its record is finished by the next reader, and built upon") {
    val (memory, records) = table()
    val stopped = new Bucket(memory, records) {
      override def put(path: String, bytes: Array[Byte]): Unit =
        if (path.endsWith(".manifest")) throw new LinkageError("killed") else super.put(path, bytes)
    }
    intercept[LinkageError](loop(stopped).commit(1, append("b")))
    assert(records.all(2).path.matches("t/_versions/18446744073709551613\\.manifest-[0-9a-f-]{36}"))
    val reader = new Bucket(memory, records)
    assert(versions(reader) == Vector(1, 2))
    assert(records.all(2).path == "t/_versions/18446744073709551613.manifest" && staged(memory).isEmpty)
    assert(loop(reader).commit(1, append("c")).version == 3)
  }

  test("of two at the same time one commits, and the other builds upon it") {
    val (memory, records) = table()
    var others = 0
    val slow = new Bucket(memory, records) {
      override def put(path: String, bytes: Array[Byte]): Unit = {
        if (path.contains(".manifest-") && others == 0) {
          others += 1
          val _ = loop(new Bucket(memory, records)).commit(1, append("theirs"))
        }
        super.put(path, bytes)
      }
    }
    assert(loop(slow).commit(1, append("ours")).version == 3)
    assert(versions(slow) == Vector(1, 2, 3) && staged(memory).isEmpty)
  }

  test("a record that was added though the database said no is ours") {
    val (memory, records) = table()
    val forgetful = new MemoryRecords {
      all ++= records.all
      override def add(table: String, record: ManifestRecord): Boolean = {
        val _ = super.add(table, record)
        false
      }
    }
    assert(loop(new Bucket(memory, forgetful)).commit(1, append("b")).version == 2)
    assert(versions(new Bucket(memory, forgetful)) == Vector(1, 2) && staged(memory).isEmpty)
  }

  test("a reader that cannot finish a commit refuses the table") {
    val (memory, records) = table()
    records.all(2) = ManifestRecord(2, "t/_versions/18446744073709551613.manifest-x", Some(7))
    def refusal(): String = intercept[LanceFormatException](versions(new Bucket(memory, records))).getMessage
    assert(refusal().contains("version 2 of t is recorded as committed, but its manifest is gone"))
    memory.put(s"$root/_versions/18446744073709551613.manifest-x", new Array[Byte](6))
    assert(refusal().contains("the manifest has 6 bytes, but its record says 7"))
    records.all(2) = ManifestRecord(2, "t/_versions/18446744073709551613.manifest", None)
    assert(refusal().contains("its manifest is gone"))
    val deaf = new MemoryRecords {
      override def latest(table: String): Option[ManifestRecord] = throw new IOException("throttled")
    }
    intercept[IOException](versions(new Bucket(memory, deaf)))
  }

  test("a record that leads elsewhere is bad data, and nothing is written") {
    val (memory, records) = table()
    val before = memory.paths
    for (
      path <- Seq(
        "other/_versions/18446744073709551613.manifest-x",
        "t/_versions/18446744073709551614.manifest-x",
        "t/_versions/../../u/_versions/18446744073709551613.manifest-x",
        "t/data/18446744073709551613.manifest",
        "t/_versions/d18446744073709551613.manifest",
        "t/_versions/",
        ""
      )
    ) {
      records.all(2) = ManifestRecord(2, path, None)
      val e = intercept[LanceFormatException](versions(new Bucket(memory, records)))
      assert(e.getMessage.contains("the record of version 2 of t names the manifest"), path)
    }
    assert(memory.paths == before)
  }

  test(
    "a table that the database does not know yet is as its directory is; one whose names were changed is found"
  ) {
    val (memory, records) = table()
    records.all.clear()
    assert(versions(new Bucket(memory, records)) == Vector(1))
    records.all(1) = ManifestRecord(1, "t/_versions/1.manifest", None)
    assert(versions(new Bucket(memory, records)) == Vector(1))
  }

  test(
    "every step fails once, before or after it has taken effect: the commit is there whole, or not at all"
  ) {
    for (after <- Seq(false, true); at <- 0 until 40) {
      val (memory, records) = table()
      var calls = 0
      def step[A](call: => A): A = {
        calls += 1
        if (calls - 1 != at) call
        else {
          if (after) { val _ = call }
          throw new IOException("no answer")
        }
      }
      val failing = new MemoryRecords {
        all ++= records.all
        override def latest(table: String): Option[ManifestRecord] = step(super.latest(table))
        override def add(table: String, record: ManifestRecord): Boolean = step(super.add(table, record))
        override def replace(table: String, record: ManifestRecord): Unit = step(super.replace(table, record))
      }
      val bucket = new Bucket(memory, failing) {
        override def put(path: String, bytes: Array[Byte]): Unit = step(super.put(path, bytes))
        override def delete(path: String): Unit = step(super.delete(path))
      }
      val ended = Try(loop(bucket).commit(1, append("b")))
      calls = Int.MinValue
      val found = versions(bucket)
      val clue = s"call $at, after $after: $ended"
      ended match {
        case Success(outcome) => assert(outcome.version == 2 && found == Vector(1, 2), clue)
        case Failure(_: CommitStateUnknownException) => assert(found.size <= 2, clue)
        case Failure(_: IOException) => assert(found == Vector(1), clue)
        case Failure(other) => fail(clue, other)
      }
      assert(loop(bucket).commit(found.last, append("next")).version == found.last + 1, clue)
    }
  }

  test("records identify a table by its path within the bucket") {
    val asked = mutable.Set.empty[String]
    val records = new MemoryRecords {
      override def latest(table: String): Option[ManifestRecord] = {
        asked += table
        None
      }
    }
    for (root <- Seq("s3a://bucket/a/t.lance", "s3a://bucket/a/t.lance/tree/x/y"))
      new Versions(new Bucket(new MemoryStore, records), root).latest()
    assert(asked == Set("a/t.lance", "a/t.lance/tree/x/y"))
  }

  test("a winner that does not go together with ours is a conflict") {
    val (memory, records) = table()
    val bucket = new Bucket(memory, records)
    loop(bucket).commit(1, overwrite("theirs"))
    intercept[CommitConflictException](loop(bucket).commit(1, append("ours")))
    assert(versions(bucket) == Vector(1, 2))
  }

  test("a database that can only read and add records is enough") {
    val (memory, all) = (new MemoryStore, new MemoryRecords)
    val records = new ManifestRecords {
      def latest(table: String): Option[ManifestRecord] = all.latest(table)
      def add(table: String, record: ManifestRecord): Boolean = all.add(table, record)
    }
    val store = new Bucket(memory, records, hasBuckets = true)
    loop(store).commit(0, overwrite("a"))
    assert(loop(store).commit(1, append("b")).version == 2)
    val stopped = new Bucket(memory, records, hasBuckets = true) {
      override def put(path: String, bytes: Array[Byte]): Unit =
        if (path.endsWith(".manifest")) throw new LinkageError("killed") else super.put(path, bytes)
    }
    intercept[LinkageError](loop(stopped).commit(2, append("c")))
    assert(versions(store) == Vector(1, 2, 3) && staged(memory).isEmpty)
    assert(all.all.values.forall(_.path.matches("bucket/t/_versions/[0-9]+\\.manifest-[0-9a-f-]{36}")))
    val refusal = intercept[UnsupportedOperationException](records.remove("bucket/t", all.all(3)))
    assert(refusal.getMessage.contains("cannot remove the record of version 3 of bucket/t"))
  }
}
