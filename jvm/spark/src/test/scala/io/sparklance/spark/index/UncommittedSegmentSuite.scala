package io.sparklance.spark.index

import java.nio.file.{Files, Path}

import io.sparklance.dataset.Dataset
import io.sparklance.index.build.WrittenIndexFile
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite
import io.sparklance.table.transaction.Operation
import io.sparklance.{CommitStateUnknownException, RetryableCommitConflictException}

class UncommittedSegmentSuite extends SparkSuite {

  /** Writes two files, of which one is reported, and commits. Returns the names that are left. */
  private def left(commit: => Dataset): Seq[String] = {
    val directory = Path.of(freshPath())
    val files = new UncommittedSegment(LocalStore, directory.toString)
    def build(): (Vector[WrittenIndexFile], Operation) = {
      Files.createDirectories(directory)
      Seq("a", "lost").foreach(name => Files.writeString(directory.resolve(name), name))
      (Vector(WrittenIndexFile("a", 1)), Operation.Restore(1))
    }
    try { val _ = files.committing(build())(_ => commit) }
    catch { case _: RetryableCommitConflictException | _: CommitStateUnknownException => () }
    if (Files.exists(directory)) directory.toFile.list.toSeq.sorted else Nil
  }

  test("a conflict removes all files, and a commit those of lost attempts") {
    assert(left(throw new RetryableCommitConflictException("conflict")).isEmpty)
    assert(left(null) == Seq("a"))
  }

  test("a commit that may have happened keeps all files") {
    assert(left(throw new CommitStateUnknownException("unknown", null)) == Seq("a", "lost"))
  }
}
