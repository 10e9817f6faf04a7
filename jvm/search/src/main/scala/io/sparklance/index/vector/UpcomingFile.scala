package io.sparklance.index.vector

import io.sparklance.file.FileReader
import io.sparklance.io.IoTask

/** A file that is opened on another thread if its store is read ahead, or else when it is used. */
final private[vector] class UpcomingFile(io: IoTask, open: => FileReader) extends AutoCloseable {
  private val begun = Option.when(io.isAhead)(io.fork(open))
  private var used = Option.empty[FileReader]

  def file: FileReader = used.getOrElse {
    val file = begun.fold(open)(IoTask.result(_))
    used = Some(file)
    file
  }

  def close(): Unit = begun match {
    case Some(forked) => val _ = forked.thenAccept(_.close())
    case None => used.foreach(_.close())
  }
}
