package io.sparklance.spark.index

import java.io.{
  BufferedInputStream,
  BufferedOutputStream,
  DataInputStream,
  DataOutputStream,
  EOFException,
  File,
  FileInputStream,
  FileOutputStream
}

import scala.collection.mutable
import scala.util.Using

import io.sparklance.index.build.IndexKeys

/** Sorts encoded rows: in memory up to a limit, beyond it by merging sorted runs on the local disk.
  *
  * @param withIds
  *   whether equal keys are sorted by row number
  */
final private[index] class SortedKeys[K <: AnyRef](
    keys: IndexKeys[K],
    withIds: Boolean,
    maxBytes: Long = SortedKeys.MaxBytes
) extends AutoCloseable {
  private val buffer = keys.buffer
  private val runs = mutable.ArrayBuffer.empty[File]

  def add(chunk: Array[Byte]): Unit = {
    if (!buffer.isEmpty && buffer.sizeInBytes + chunk.length > maxBytes) spill()
    buffer.addEncoded(chunk)
  }

  /** Visits all rows in order. */
  def foreach(visit: (Option[K], Long) => Unit): Unit = if (runs.isEmpty) {
    buffer.sort(withIds)
    buffer.foreach(visit)
  } else {
    if (!buffer.isEmpty) spill()
    merge(visit)
  }

  /** Removes the runs. */
  def close(): Unit = runs.foreach(_.delete())

  private def spill(): Unit = {
    buffer.sort(withIds)
    val run = File.createTempFile("sparklance-index", ".run")
    runs += run
    Using.resource(new DataOutputStream(new BufferedOutputStream(new FileOutputStream(run)))) { out =>
      val chunk = keys.buffer
      def write(): Unit = {
        val bytes = chunk.drain()
        out.writeInt(bytes.length)
        out.write(bytes)
      }
      buffer.foreach { (key, id) =>
        chunk.add(key.orNull[AnyRef].asInstanceOf[K], id)
        if (chunk.sizeInBytes >= SortedKeys.ChunkBytes) write()
      }
      if (!chunk.isEmpty) write()
    }
    buffer.clear()
  }

  private def merge(visit: (Option[K], Long) => Unit): Unit = Using.Manager { use =>
    val open = runs.map(run => new SortedRun(use(SortedRun.open(run)), keys))
    val next = mutable.PriorityQueue.empty[SortedRun[K]](Ordering.fromLessThan(_.follows(_, withIds)))
    next ++= open.filter(_.hasRow)
    while (next.nonEmpty) {
      val run = next.dequeue()
      visit(run.key, run.id)
      run.advance()
      if (run.hasRow) next.enqueue(run)
    }
  }.get
}

private object SortedKeys {
  private val MaxBytes = 96L << 20
  private val ChunkBytes = 256L << 10
}

/** Reads a sorted run. */
final private class SortedRun[K <: AnyRef](in: DataInputStream, keys: IndexKeys[K]) {
  private var chunk = Iterator.empty[(Option[K], Long)]
  private var current = Option.empty[(Option[K], Long)]
  advance()

  def hasRow: Boolean = current.isDefined
  def key: Option[K] = current.flatMap(_._1)
  def id: Long = current.fold(0L)(_._2)

  def advance(): Unit = {
    if (!chunk.hasNext) chunk = SortedRun.readChunk(in).fold(Iterator.empty[(Option[K], Long)])(decoded)
    current = chunk.nextOption()
  }

  /** Whether the row comes after another run's. */
  def follows(other: SortedRun[K], withIds: Boolean): Boolean = {
    val order = (key, other.key) match {
      case (None, None) => 0
      case (None, Some(_)) => -1
      case (Some(_), None) => 1
      case (Some(mine), Some(theirs)) => keys.compare(mine, theirs)
    }
    order > 0 || order == 0 && withIds && id > other.id
  }

  private def decoded(bytes: Array[Byte]): Iterator[(Option[K], Long)] = {
    val buffer = keys.buffer
    buffer.addEncoded(bytes)
    val rows = Vector.newBuilder[(Option[K], Long)]
    buffer.foreach((key, id) => rows += key -> id)
    rows.result().iterator
  }
}

private object SortedRun {
  def open(run: File): DataInputStream =
    new DataInputStream(new BufferedInputStream(new FileInputStream(run)))

  /** Returns None at the end. */
  def readChunk(in: DataInputStream): Option[Array[Byte]] =
    try {
      val bytes = new Array[Byte](in.readInt())
      in.readFully(bytes)
      Some(bytes)
    } catch { case _: EOFException => None }
}
