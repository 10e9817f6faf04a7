package io.sparklance.spark.index

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{Dataset, Encoders}
import org.apache.spark.{HashPartitioner, TaskContext}

import io.sparklance.index.build.WrittenIndexFile
import io.sparklance.spark.write.TaskBytes

/** Lets one task write the file of an index from rows that many tasks made. Spark sorts the rows, on disk if
  * need be.
  *
  * @param place
  *   of the segment
  */
final private[index] class OneWriter(place: SegmentPlace) {

  /** @param keys
    *   names of the columns to sort by
    * @param write
    *   writes the file in the place that it is given
    */
  def write[A](rows: Dataset[A], keys: Vector[String])(
      write: (SegmentPlace, Iterator[A]) => WrittenIndexFile
  ): BuiltSegment = {
    val place = this.place
    val sorted = rows.repartition(1).sortWithinPartitions(keys.map(col): _*)
    built(sorted.mapPartitions(OneWriter.attempt(place, write, _))(Encoders.BINARY).collect(), write)
  }

  /** Variant for few large rows, which need no encoder.
    *
    * @param rows
    *   each with its key
    */
  def writeBytes(rows: RDD[(Long, Array[Byte])])(
      write: (SegmentPlace, Iterator[(Long, Array[Byte])]) => WrittenIndexFile
  ): BuiltSegment = {
    val place = this.place
    val sorted = rows.repartitionAndSortWithinPartitions(new HashPartitioner(1))
    built(sorted.mapPartitions(OneWriter.attempt(place, write, _)).collect(), write)
  }

  private def built[A](
      written: Array[Array[Byte]],
      write: (SegmentPlace, Iterator[A]) => WrittenIndexFile
  ): BuiltSegment = written.headOption
    .fold(BuiltSegment(place.uuid, Vector(write(place, Iterator.empty))))(TaskBytes.read[BuiltSegment](_))
}

private object OneWriter {

  /** Writes the file in the place of an attempt of a task. */
  private def attempt[A](
      place: SegmentPlace,
      write: (SegmentPlace, Iterator[A]) => WrittenIndexFile,
      rows: Iterator[A]
  ): Iterator[Array[Byte]] = {
    val own = place.ofAttempt(TaskContext.get().taskAttemptId())
    val file = write(own, rows)
    Cancelled.check(file, own)
    Iterator(TaskBytes.of(BuiltSegment(own.uuid, Vector(file))))
  }
}
