package io.sparklance.spark.search

import java.io.InputStream

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.{EtagSource, FSDataInputStream, FileStatus, Path, PositionedReadable, Seekable}

import io.sparklance.spark.OwnDisk

/** The local disk as a distant store, which answers requests in rounds: see [[Rounds]]. */
final class RoundsDisk extends OwnDisk {
  // The parent asks for the status, as distant stores do not if the size is given.
  override def open(path: Path, bufferSize: Int): FSDataInputStream =
    new FSDataInputStream(new RoundsStream(Rounds.free(super.open(path, bufferSize)), path.getName))

  override def getFileStatus(path: Path): FileStatus = {
    Rounds.request(s"status ${path.getName}", 0)
    super.getFileStatus(path)
  }

  // The parent asks for the status of each file.
  override def listStatus(path: Path): Array[FileStatus] = {
    Rounds.request(s"list ${path.getName}", 0)
    Rounds.free(super.listStatus(path).map(new TaggedStatus(_)))
  }
}

/** A status with a tag of the contents, as distant stores give. */
final private class TaggedStatus(of: FileStatus)
    extends FileStatus(of.getLen, of.isDirectory, 1, of.getBlockSize, of.getModificationTime, of.getPath)
    with EtagSource {
  override def getEtag: String = s"${of.getModificationTime}-${of.getLen}"
}

/** Requests that wait until no other one can come any more, and are then answered together. A reader that
  * needs one answer to make the next request needs two rounds.
  */
object Rounds {

  /** Milliseconds without another request, after which a round ends unless some thread still works. */
  final private val QuietMillis = 50L

  private val isFree = ThreadLocal.withInitial(() => false)
  private var last = 0L
  private var count = 0
  private var log = Vector.empty[(String, Long)]

  /** Returns the rounds and requests of `body`. */
  def during(body: => Any): Taken = {
    synchronized { count = 0; log = Vector.empty }
    val _ = body
    synchronized(Taken(count, log.size, log.map(_._2).sum, log.map(_._1)))
  }

  /** Runs `body`, whose requests do not count. */
  def free[A](body: => A): A = {
    isFree.set(true)
    try body
    finally isFree.set(false)
  }

  def request(what: String, bytes: Long): Unit = if (!isFree.get) synchronized {
    val round = count
    log :+= s"$round $what" -> bytes
    last = System.nanoTime()
    while (round == count) {
      wait(QuietMillis)
      if (round == count && System.nanoTime() - last >= QuietMillis * 1000000 && !isAnyAtWork) {
        count += 1
        notifyAll()
      }
    }
  }

  /** Whether a thread of Spark or of ours, or one that a test runs on, has something to do. */
  private def isAnyAtWork: Boolean = Thread.getAllStackTraces.asScala.exists { case (thread, frames) =>
    (thread ne Thread.currentThread) && frames.nonEmpty && !frames.head.isNativeMethod &&
    (thread.getState == Thread.State.RUNNABLE || thread.getState == Thread.State.BLOCKED)
  }
}

/** @param log requests, each with its round */
final case class Taken(rounds: Int, requests: Int, bytes: Long, log: Vector[String])

final private class RoundsStream(inner: FSDataInputStream, name: String)
    extends InputStream
    with Seekable
    with PositionedReadable {
  def read(position: Long, buffer: Array[Byte], offset: Int, length: Int): Int = {
    Rounds.request(s"$name $position+$length", length.toLong)
    inner.read(position, buffer, offset, length)
  }
  def readFully(position: Long, buffer: Array[Byte], offset: Int, length: Int): Unit = {
    Rounds.request(s"$name $position+$length", length.toLong)
    inner.readFully(position, buffer, offset, length)
  }
  def readFully(position: Long, buffer: Array[Byte]): Unit = readFully(position, buffer, 0, buffer.length)
  def seek(position: Long): Unit = inner.seek(position)
  def getPos: Long = inner.getPos
  def seekToNewSource(position: Long): Boolean = false
  def read(): Int = inner.read()
  override def close(): Unit = inner.close()
}
