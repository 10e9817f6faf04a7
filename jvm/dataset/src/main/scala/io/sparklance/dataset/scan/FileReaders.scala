package io.sparklance.dataset.scan

import java.util.concurrent.CancellationException

import scala.collection.mutable
import scala.util.Try

import io.sparklance.file.{FileReader, ScanCounts}
import io.sparklance.io.{Closing, IoClient, IoTask, ObjectStore}

/** The data files of a fragment, opened when they are asked for.
  *
  * @param fragment
  *   its number among those that the task reads
  */
final private[dataset] class FileReaders(store: ObjectStore, task: IoTask, fragment: Int)
    extends AutoCloseable {
  // Guarded by this object: a thread that opens a file may end after its task.
  private val open = mutable.LinkedHashMap.empty[FileSource, FileReader]
  private var isClosed = false
  val io: IoClient = task.client(fragment)
  val counts: ScanCounts = new ScanCounts

  def of(source: FileSource): FileReader = known(source).getOrElse(opened(source))

  /** Opens files side by side, and returns what `use` makes of each. */
  def each[A](sources: Vector[FileSource])(use: (FileSource, FileReader) => A): Vector[A] = {
    val used = task.map(sources)(source => Try(use(source, of(source))))
    used.map(_.get.get)
  }

  private def opened(source: FileSource): FileReader = {
    val reader = FileReader.open(store, source.path, source.size, io, counts)
    if (!keep(source, reader)) {
      reader.close()
      throw new CancellationException(s"the task that reads ${source.path} has ended")
    }
    reader
  }

  private def known(source: FileSource): Option[FileReader] = synchronized(open.get(source))

  /** Returns false if the reader comes too late. */
  private def keep(source: FileSource, reader: FileReader): Boolean = synchronized {
    if (!isClosed) open(source) = reader
    !isClosed
  }

  def close(): Unit = {
    val readers = synchronized {
      isClosed = true
      open.values.toVector
    }
    try Closing.all(readers)
    finally io.close()
  }
}
