package io.sparklance.spark.index

import java.nio.file.{Files, Path}
import java.util.UUID

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.SparkSession

import io.sparklance.data.FileVersion
import io.sparklance.dataset.Dataset
import io.sparklance.index.build.WrittenIndexFile
import io.sparklance.spark.SparkSuite
import io.sparklance.spark.options.StoreOptions
import io.sparklance.table.transaction.Operation
import io.sparklance.{CommitStateUnknownException, RetryableCommitConflictException}

class UncommittedSegmentSuite extends SparkSuite {

  /** Lets two attempts write, of which one is reported with one of its two files, and commits. Returns the
    * files that are left of them, and of another segment.
    */
  private def left(commit: => Dataset): Seq[String] = {
    val root = freshPath()
    SparkSession.setActiveSession(spark)
    val place = SegmentPlace(StoreOptions.locate(root), root, UUID.randomUUID(), FileVersion.V2_0)
    val attempts = Seq(place.ofAttempt(7), place.ofAttempt(8))
    val indices = Path.of(place.directory).getParent
    def write(directory: Path, name: String): Unit = {
      Files.createDirectories(directory)
      val _ = Files.writeString(directory.resolve(name), name)
    }
    write(indices.resolve(UUID.randomUUID().toString), "other")
    def build(): (Vector[BuiltSegment], Operation) = {
      attempts.zip(Seq("a", "lost")).foreach { case (own, name) => write(Path.of(own.directory), name) }
      write(Path.of(attempts.head.directory), "unfinished")
      (Vector(BuiltSegment(attempts.head.uuid, Vector(WrittenIndexFile("a", 1)))), Operation.Restore(1))
    }
    try { val _ = new UncommittedSegment(place).committing(build())(_ => commit) }
    catch { case _: RetryableCommitConflictException | _: CommitStateUnknownException => () }
    Using.resource(Files.walk(indices)) { all =>
      all.iterator.asScala.filter(Files.isRegularFile(_)).map(_.getFileName.toString).toSeq.sorted
    }
  }

  test("a conflict removes all files, and a commit those of lost attempts") {
    assert(left(throw new RetryableCommitConflictException("conflict")) == Seq("other"))
    assert(left(null) == Seq("a", "other"))
  }

  test("a commit that may have happened keeps all files") {
    assert(left(throw new CommitStateUnknownException("unknown", null)) ==
      Seq("a", "lost", "other", "unfinished"))
  }
}
