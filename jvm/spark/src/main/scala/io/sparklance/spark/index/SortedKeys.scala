package io.sparklance.spark.index

import java.io.{
  BufferedInputStream,
  BufferedOutputStream,
  DataInputStream,
  DataOutputStream,
  EOFException,
  File,
  FileInputStream,
  FileOutputStream,
  IOException
}

import scala.collection.mutable
import scala.util.Using

import io.sparklance.index.build.{IndexKeys, IndexedRows, KeyBuffer}

/** Sorts rows by their keys: in memory up to a limit, beyond it by merging sorted runs on the local disk. */
final private[index] class SortedKeys[K <: AnyRef](
    keys: IndexKeys[K],
    maxBytes: Long = IndexMemory.sortBytes
) extends AutoCloseable {
  private val buffer = keys.buffer
  private val runs = mutable.ArrayBuffer.empty[File]

  def isEmpty: Boolean = buffer.isEmpty && runs.isEmpty

  /** Adds the rows of a chunk that [[KeyBuffer.drain]] encoded. */
  def add(chunk: Array[Byte]): Unit = {
    if (!buffer.isEmpty && buffer.sizeInBytes + chunk.length > maxBytes) spill()
    buffer.addEncoded(chunk)
  }

  /** Adds all rows of a split, and closes it. */
  def addAll(rows: IndexedRows): Unit = {
    while (rows.next()) {
      Cancelled.check()
      buffer.addBatch(rows.values.values, rows.nulls, rows.numbers, rows.count)
      if (buffer.sizeInBytes > maxBytes) spill()
    }
    rows.close()
  }

  /** Visits all rows in order, in one or several sorted buffers. */
  def foreach(visit: KeyBuffer[K] => Unit): Unit = if (runs.isEmpty) {
    buffer.sort()
    visit(buffer)
  } else {
    if (!buffer.isEmpty) spill()
    merge(visit)
  }

  /** Removes the runs. */
  def close(): Unit = runs.foreach(_.delete())

  private def spill(): Unit = {
    buffer.sort()
    val run = File.createTempFile("sparklance-index", ".run")
    runs += run
    Using.resource(new DataOutputStream(new BufferedOutputStream(new FileOutputStream(run)))) { out =>
      val chunk = keys.buffer
      def write(): Unit = {
        val bytes = chunk.drain()
        out.writeInt(bytes.length)
        out.write(bytes)
      }
      var row = 0
      while (row < buffer.size) {
        chunk.addRow(buffer, row)
        if (chunk.sizeInBytes >= SortedKeys.ChunkBytes) write()
        row += 1
      }
      if (!chunk.isEmpty) write()
      out.writeInt(SortedRun.End)
    }
    buffer.clear()
  }

  private def merge(visit: KeyBuffer[K] => Unit): Unit = Using.Manager { use =>
    val next = mutable.PriorityQueue.empty[SortedRun[K]](Ordering.fromLessThan(_ follows _))
    next ++= runs.map(run => new SortedRun(use(SortedRun.open(run)), run, keys.buffer))
    val merged = keys.buffer
    while (next.nonEmpty) {
      val run = next.dequeue()
      while ({
        run.moveTo(merged)
        run.hasRow && !next.headOption.exists(run.follows)
      }) ()
      if (run.hasRow) next.enqueue(run)
      if (merged.sizeInBytes >= SortedKeys.ChunkBytes || next.isEmpty) {
        visit(merged)
        merged.clear()
      }
    }
  }.get
}

private object SortedKeys {
  private val ChunkBytes = 256L << 10
}

/** Reads a sorted run, which is not empty: chunks of rows, each after its size, and the end.
  *
  * @param chunk
  *   an empty buffer
  */
final private[index] class SortedRun[K <: AnyRef](
    in: DataInputStream,
    file: File,
    private val chunk: KeyBuffer[K]
) {
  private var row = 0
  fill()

  def hasRow: Boolean = row < chunk.size

  /** Adds the row to a buffer, and moves to the next one. */
  def moveTo(merged: KeyBuffer[K]): Unit = {
    merged.addRow(chunk, row)
    row += 1
    if (!hasRow) fill()
  }

  /** Whether the row comes after another run's. */
  def follows(other: SortedRun[K]): Boolean = chunk.compareKeys(row, other.chunk, other.row) > 0

  private def fill(): Unit = {
    chunk.clear()
    row = 0
    try {
      val size = in.readInt()
      if (size != SortedRun.End) {
        val bytes = new Array[Byte](size)
        in.readFully(bytes)
        chunk.addEncoded(bytes)
      }
    } catch {
      case end: EOFException =>
        throw new IOException(
          s"The file of sorted keys $file ends too early: something cut it while the index was built. Check " +
            "the disk of Spark's local directories, and build the index again.",
          end
        )
    }
  }
}

private[index] object SortedRun {

  /** Stands in place of the size of a further chunk. */
  final private[index] val End = 0

  def open(run: File): DataInputStream =
    new DataInputStream(new BufferedInputStream(new FileInputStream(run)))
}
