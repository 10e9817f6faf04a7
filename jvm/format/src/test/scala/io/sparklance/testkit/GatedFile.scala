package io.sparklance.testkit

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentLinkedQueue, Semaphore}

import scala.jdk.CollectionConverters._

import io.sparklance.data.ByteRange
import io.sparklance.io.{FileStamp, ReadableFile}

/** A file whose reads wait until they are let through, and that says how many there were at a time. */
final class GatedFile(name: String = "gated") extends ReadableFile {
  private val gate = new Semaphore(0)
  private val begun = new ConcurrentLinkedQueue[Long]
  private val now = new AtomicInteger
  private val most = new AtomicInteger

  val path: String = name
  val size: Long = 1 << 20
  def stamp: Option[FileStamp] = None

  /** The offsets of the reads, in the order in which they began. */
  def offsets: Vector[Long] = begun.asScala.toVector
  def mostAtATime: Int = most.get

  def letThrough(reads: Int): Unit = gate.release(reads)

  def read(range: ByteRange, target: Array[Byte], at: Int): Unit = {
    begun.add(range.offset)
    val others = now.incrementAndGet()
    most.accumulateAndGet(others, math.max(_, _))
    gate.acquire()
    now.decrementAndGet()
    java.util.Arrays.fill(target, at, at + range.length.toInt, range.offset.toByte)
  }

  def close(): Unit = ()
}
