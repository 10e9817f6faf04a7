package io.sparklance.io

import io.sparklance.data.ByteRange
import io.sparklance.{LanceFormatException, Location}

/** An open file. */
trait ReadableFile extends AutoCloseable {
  def path: String
  def size: Long

  /** Identity of these contents within this JVM; None if there is none. Files of a table never change and
    * have unique names, so path and size identify them, and the modification time where it costs nothing.
    */
  def stamp: Option[FileStamp]

  /** Reads exactly `range` into `target` from index `at`; throws a `LanceFormatException` if it is outside
    * the file. Any number of threads may read at the same time. Closing the file meanwhile makes reads fail.
    */
  def read(range: ByteRange, target: Array[Byte], at: Int): Unit
}

object ReadableFile {

  /** Refuses a range that is not inside the file or too large for an array: the sizes come from disk. */
  def check(file: ReadableFile, range: ByteRange): Unit =
    if (
      range.offset < 0 || range.length < 0 || range.length > Int.MaxValue - 8 ||
      range.offset > file.size - range.length
    )
      throw new LanceFormatException(
        s"bytes [${range.offset}, ${range.end}) wanted of a file of ${file.size}",
        Location(file = Some(file.path), offset = Some(range.offset))
      )

  /** Returns the failure for a file that is shorter than recorded. */
  def endedEarly(file: ReadableFile, range: ByteRange): LanceFormatException = new LanceFormatException(
    s"the file ends before ${range.end}, though its size should be ${file.size}",
    Location(file = Some(file.path), offset = Some(range.offset))
  )
}
