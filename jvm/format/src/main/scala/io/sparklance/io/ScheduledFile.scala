package io.sparklance.io

import io.sparklance.data.ByteRange

/** A file whose reads wait for their turn among the other requests to the store, before those of any row. */
final private[sparklance] class ScheduledFile(file: ReadableFile, io: IoClient) extends ReadableFile {
  def path: String = file.path
  def size: Long = file.size
  def stamp: Option[FileStamp] = file.stamp

  def read(range: ByteRange, target: Array[Byte], at: Int): Unit =
    io.read(new Read(file, range, ScheduledFile.BeforeRows, target, at))

  def close(): Unit = file.close()
}

private[sparklance] object ScheduledFile {
  final private val BeforeRows = -1L

  /** Returns the file itself if its store is not read ahead. */
  def of(file: ReadableFile, io: IoClient): ReadableFile =
    if (io.isAhead) new ScheduledFile(file, io) else file
}
