package io.sparklance.table.commit

import java.io.FileNotFoundException

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.ByteRange
import io.sparklance.io.{
  CommitHandler,
  FileEntry,
  FileStamp,
  ManifestRecord,
  ManifestRecords,
  ObjectStore,
  ReadableFile
}
import io.sparklance.table.Versions
import io.sparklance.testkit.TableFixtures.{append, overwrite}
import io.sparklance.testkit.{DelegatingStore, MemoryStore}

/** Commits that a database orders, of which another software takes any number of steps before each step of
  * ours.
  */
class ExternalInterleavingsSuite extends AnyFunSuite {
  private val root = "s3a://bucket/t"

  /** A table at version 1, what others make of it, and us, who call `before` with the number of each step. */
  private class World {
    val memory = new MemoryStore
    val records = new MemoryRecords
    var before: Int => Unit = _ => ()
    private var calls = 0

    private def step[A](call: => A): A = {
      calls += 1
      before(calls - 1)
      call
    }

    private val ourRecords = new ManifestRecords {
      def latest(table: String): Option[ManifestRecord] = step(records.latest(table))
      def add(table: String, record: ManifestRecord): Boolean = step(records.add(table, record))
      override def replace(table: String, record: ManifestRecord): Unit = step(records.replace(table, record))
      override def remove(table: String, record: ManifestRecord): Unit = step(records.remove(table, record))
    }

    val bucket: ObjectStore = new DelegatingStore(memory) {
      override val commits: CommitHandler = new ExternalManifests(ourRecords, hasBuckets = false)
      override def open(path: String, knownSize: Option[Long]): ReadableFile =
        fetched(step(super.open(path, knownSize)))
      override def put(path: String, bytes: Array[Byte]): Unit = step(super.put(path, bytes))
      override def list(directory: String): Vector[FileEntry] = step(super.list(directory))
      override def delete(path: String): Unit = step(super.delete(path))
    }

    /** Behaves like object stores: a file that was looked up may be gone, or replaced, when it is read. */
    private def fetched(file: ReadableFile): ReadableFile = new ReadableFile {
      def path: String = file.path
      def size: Long = file.size
      def stamp: Option[FileStamp] = None
      def read(range: ByteRange, target: Array[Byte], at: Int): Unit = step {
        if (!memory.exists(path)) throw new FileNotFoundException(path)
        file.read(range, target, at)
      }
      def close(): Unit = file.close()
    }

    loop().commit(0, overwrite("first"))
    calls = 0
    val theirs = new ForeignCommits(
      memory,
      records,
      ForeignCommits.appends(memory.bytes(memory.paths.filter(_.endsWith(".manifest")).head))
    )

    def loop() = new CommitLoop(bucket, root, _ => ())
    def versions(): Vector[Long] = new Versions(bucket, root).list().map(_.version)
    def files(): Vector[String] = {
      val versions = new Versions(bucket, root)
      versions.read(versions.latest().get).fragments.flatMap(_.files).map(_.path)
    }
    def staged: Vector[String] = memory.paths.filter(_.contains(".manifest-"))
  }

  /** Does something while others, who have taken `begun` steps, go on to `until` before the step of that
    * number.
    */
  private def interleaved(begun: Int, until: Int)(ours: (World, String) => Any): Unit =
    Iterator.from(0).takeWhile { at =>
      val world = new World
      world.theirs.until(begun)
      var reached = false
      world.before = number =>
        if (number == at) {
          reached = true
          world.theirs.until(until)
        }
      val _ = ours(world, s"theirs from $begun to $until before our call $at")
      reached
    }.foreach(_ => ())

  test("a reader at any moment of others' commits sees one version or the next, whole") {
    for (begun <- 0 to ForeignCommits.Steps; until <- begun to ForeignCommits.Steps)
      interleaved(begun, until) { (world, clue) =>
        val found = withClue(clue)(world.versions())
        assert(Set(Vector(1L), Vector(1L, 2L), Vector(1L, 2L, 3L), Vector(1L, 3L))(found), clue)
        world.before = _ => ()
        world.theirs.until(ForeignCommits.Steps)
        // Who had read the staged manifest by then put back what was cleaned up, until somebody cleans up
        // again.
        assert(Set(Vector(1L, 3L), Vector(1L, 2L, 3L))(world.versions()) && world.staged.isEmpty, clue)
        assert(world.files() == Vector("first", "theirs 2", "theirs 3"), clue)
      }
  }

  test("an append at any moment of others' commits stands beside them") {
    for (begun <- 0 to ForeignCommits.CommitSteps; until <- begun to ForeignCommits.CommitSteps)
      interleaved(begun, until) { (world, clue) =>
        val ours = withClue(clue)(world.loop().commit(1, append("ours")))
        world.before = _ => ()
        world.theirs.until(ForeignCommits.CommitSteps)
        val made = Seq(2L, 3L).filter(world.theirs.made).map(version => s"theirs $version")
        val all = "first" +: made :+ "ours"
        assert(world.files().sorted == all.sorted, clue)
        assert(ours.version >= 2 && world.versions().last == all.size && world.staged.isEmpty, clue)
      }
  }
}
