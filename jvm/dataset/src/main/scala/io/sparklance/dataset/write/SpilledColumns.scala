package io.sparklance.dataset.write

import java.io.EOFException
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.nio.file.StandardOpenOption.{DELETE_ON_CLOSE, READ, WRITE}

import scala.annotation.tailrec

import io.sparklance.data.{ByteRange, Column, ColumnBytes}
import io.sparklance.table.WriteId

/** Values of columns that wait in a temporary local file until they fill a page:
  * {{{
  * parts of all columns, in the order in which they were added
  *   part: start and length of the column's part before it (i64 each, 0 if there is none) | values
  * }}}
  * The file grows up to the size of all values of a fragment.
  */
final private class SpilledColumns(columns: Int, mark: WriteId) extends AutoCloseable {
  private val channel = FileChannel.open(
    Files.createTempFile(SpilledColumns.prefix(mark), ".spill"),
    READ,
    WRITE,
    DELETE_ON_CLOSE
  )

  // The last part of each column. All parts before it are found by their predecessors.
  private val starts = new Array[Long](columns)
  private val lengths = new Array[Long](columns)
  private val pages = new Array[Long](columns)
  private var waiting = 0L
  private var held = 0
  private var end = 0L

  /** Whether values of a column wait. */
  def has(column: Int): Boolean = lengths(column) > 0

  /** Size of the page that a column's values would make, as given to [[add]]. */
  def pageBytes(column: Int): Long = pages(column)

  /** Bytes of all columns. */
  def bytes: Long = waiting

  /** Adds all values of a column.
    *
    * @param size
    *   of their page
    */
  def add(column: Int, values: Column, size: Long): Unit = {
    val from = end
    if (!has(column)) held += 1
    val header = ByteBuffer.allocate(SpilledColumns.HeaderSize)
    write(header.putLong(starts(column)).putLong(lengths(column)).flip())
    write(ColumnBytes.write(values))
    starts(column) = from
    lengths(column) = end - from
    pages(column) += size
    waiting += size
  }

  /** Moves the values of a column to the end of another one. */
  def take(column: Int, to: Column): Unit = {
    parts(ByteRange(starts(column), lengths(column)), Nil).foreach(ColumnBytes.read(_, to))
    if (has(column)) held -= 1
    lengths(column) = 0
    waiting -= pages(column)
    pages(column) = 0
    if (held == 0) end = 0
  }

  /** Reads a part and those before it, which come first. */
  @tailrec
  private def parts(last: ByteRange, later: List[ByteBuffer]): List[ByteBuffer] =
    if (last.length == 0) later
    else {
      val bytes = read(last)
      parts(ByteRange(bytes.getLong, bytes.getLong), bytes :: later)
    }

  private def write(bytes: ByteBuffer): Unit = while (bytes.hasRemaining) end += channel.write(bytes, end)

  private def read(part: ByteRange): ByteBuffer = {
    val bytes = ByteBuffer.allocate(part.length.toInt)
    while (bytes.hasRemaining)
      if (channel.read(bytes, part.offset + bytes.position()) < 0)
        throw new EOFException(s"the temporary file of columns ends at ${channel.size}")
    bytes.flip()
  }

  /** Removes the file. */
  override def close(): Unit = channel.close()
}

private[write] object SpilledColumns {
  final private val HeaderSize = 16

  /** Beginning of the names of a write's temporary files. */
  def prefix(mark: WriteId): String = f"sparklance-${mark.bits}%016x-"
}
