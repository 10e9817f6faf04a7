package io.sparklance.dataset.scan

import scala.collection.mutable

import io.sparklance.file.{FileReader, ScanCounts}
import io.sparklance.io.{Closing, IoClient, ObjectStore}

/** The data files of a fragment, opened when they are asked for. */
final private[dataset] class FileReaders(store: ObjectStore, val io: IoClient, val counts: ScanCounts)
    extends AutoCloseable {
  private val open = mutable.LinkedHashMap.empty[FileSource, FileReader]

  def of(source: FileSource): FileReader =
    open.getOrElseUpdate(source, FileReader.open(store, source.path, source.size, io, counts))

  def close(): Unit = Closing.all(open.values)
}
