package io.sparklance.spark.index

import org.apache.spark.TaskContext
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{Dataset, Encoders}

import io.sparklance.index.build.WrittenIndexFile
import io.sparklance.spark.write.TaskBytes

/** Lets one task write the file of an index from rows that many tasks made. Spark sorts the rows, on disk if
  * need be.
  */
private[index] object OneWriter {

  /** @param keys
    *   names of the columns to sort by
    * @param write
    *   writes the file in the place that it is given
    */
  def write[A](rows: Dataset[A], keys: Vector[String], place: SegmentPlace)(
      write: (SegmentPlace, Iterator[A]) => WrittenIndexFile
  ): BuiltSegment =
    rows
      .repartition(1)
      .sortWithinPartitions(keys.map(col): _*)
      .mapPartitions { sorted =>
        val own = place.ofAttempt(TaskContext.get().taskAttemptId())
        Iterator(TaskBytes.of(BuiltSegment(own.uuid, Vector(write(own, sorted)))))
      }(Encoders.BINARY)
      .collect()
      .headOption
      .fold(BuiltSegment(place.uuid, Vector(write(place, Iterator.empty))))(TaskBytes.read[BuiltSegment](_))

  /** Runs `body`, and removes the unfinished file if it fails. */
  def guarded[A](abort: => Unit)(body: => A): A =
    try body
    catch {
      case failure: Throwable =>
        abort
        throw failure
    }
}
