package io.sparklance.spark.index

import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{Dataset, Encoders}

import io.sparklance.index.build.WrittenIndexFile
import io.sparklance.spark.write.TaskBytes

/** Lets one task write the file of an index from rows that many tasks made. Spark sorts the rows, on disk if
  * need be.
  */
private[index] object OneWriter {

  /** @param keys names of the columns to sort by */
  def write[A](
      rows: Dataset[A],
      keys: Vector[String]
  )(write: Iterator[A] => WrittenIndexFile): Vector[WrittenIndexFile] =
    rows
      .repartition(1)
      .sortWithinPartitions(keys.map(col): _*)
      .mapPartitions(sorted => Iterator(TaskBytes.of(write(sorted))))(Encoders.BINARY)
      .collect()
      .headOption
      .fold(Vector(write(Iterator.empty)))(bytes => Vector(TaskBytes.read[WrittenIndexFile](bytes)))

  /** Runs `body`, and removes the unfinished file if it fails. */
  def guarded[A](abort: => Unit)(body: => A): A =
    try body
    catch {
      case failure: Throwable =>
        abort
        throw failure
    }
}
