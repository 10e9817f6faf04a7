package io.sparklance.soak

import java.nio.file.StandardOpenOption.{APPEND, CREATE}
import java.nio.file.{Files, Path}

/** Messages between workers, as files: `<number>.marks` has a byte for each commit of a worker, so that none
  * runs ahead of the slowest and all of them commit at the same time; `<number>.jsonl` logs its changes;
  * `failed` exists when one has failed. tests/soak/race.py does the same.
  */
final private class Race(directory: Path, number: Int, workers: Int, commits: Int) {
  private val marks = directory.resolve(s"$number.marks")
  private val failure = directory.resolve("failed")
  private val log = directory.resolve(s"$number.jsonl")

  /** Waits until the others have come along; false when this worker has done its part. */
  def next(): Boolean = {
    while (!isOver && done(number) - (0 until workers).map(done).min >= Race.Lead) {
      if (Files.exists(failure)) throw new IllegalStateException("another worker has failed, see above")
      Thread.sleep(2)
    }
    !isOver
  }

  def fail(): Unit = { val _ = Files.writeString(failure, "") }

  private def isOver: Boolean = done(number) >= commits

  private def done(worker: Int): Long = {
    val file = directory.resolve(s"$worker.marks")
    if (Files.exists(file)) Files.size(file) else 0
  }

  def tell(kind: String, ids: Iterable[Long]): Unit = {
    val line = s"""{"kind": "$kind", "ids": ${ids.mkString("[", ", ", "]")}}""" + "\n"
    val _ = Files.writeString(log, line, CREATE, APPEND)
    if (kind != Race.Lost) { val _ = Files.write(marks, Array[Byte]('.'), CREATE, APPEND) }
  }
}

private object Race {
  val Lost = "lost"

  /** Largest number of commits that a worker may be ahead. */
  private val Lead = 5
}
