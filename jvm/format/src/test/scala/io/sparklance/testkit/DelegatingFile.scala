package io.sparklance.testkit

import io.sparklance.data.ByteRange
import io.sparklance.io.{FileStamp, ReadableFile}

/** A file that passes everything on; tests override what is to go wrong. */
class DelegatingFile(inner: ReadableFile) extends ReadableFile {
  def path: String = inner.path
  def size: Long = inner.size
  def stamp: Option[FileStamp] = inner.stamp
  def read(range: ByteRange, target: Array[Byte], at: Int): Unit = inner.read(range, target, at)
  def close(): Unit = inner.close()
}
