package io.sparklance.dataset.scan

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
  private val open = mutable.LinkedHashMap.empty[FileSource, FileReader]
  val io: IoClient = task.client(fragment)
  val counts: ScanCounts = new ScanCounts

  def of(source: FileSource): FileReader = open.getOrElseUpdate(source, opened(source))

  /** Opens files side by side, and returns what `use` makes of each. */
  def each[A](sources: Vector[FileSource])(use: (FileSource, FileReader) => A): Vector[A] = {
    val known = open.toMap
    val used = task.map(sources) { source =>
      val reader = known.getOrElse(source, opened(source))
      reader -> Try(use(source, reader))
    }
    sources.zip(used).foreach { case (source, one) => one.foreach(used => open(source) = used._1) }
    used.map(_.get._2.get)
  }

  private def opened(source: FileSource): FileReader =
    FileReader.open(store, source.path, source.size, io, counts)

  def close(): Unit =
    try Closing.all(open.values)
    finally io.close()
}
