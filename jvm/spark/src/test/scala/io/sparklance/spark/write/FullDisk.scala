package io.sparklance.spark.write

import java.io.{IOException, OutputStream}
import java.util.concurrent.atomic.AtomicInteger

import org.apache.hadoop.fs._
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

import io.sparklance.spark.OwnDisk

/** A directory of the local disk as a file system of its own, which is full after some writes. */
final class FullDisk extends OwnDisk {
  override def create(
      path: Path,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = full(super.create(path, overwrite, bufferSize, replication, blockSize, progress))

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream =
    full(super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress))

  private def full(out: FSDataOutputStream): FSDataOutputStream = new FSDataOutputStream(
    new OutputStream {
      override def write(byte: Int): Unit = { FullDisk.take(); out.write(byte) }
      override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
        FullDisk.take()
        out.write(bytes, offset, length)
      }
      override def close(): Unit = out.close()
    },
    null
  )
}

object FullDisk {

  /** Number of writes that still succeed. */
  val calls = new AtomicInteger(Int.MaxValue)

  private val Message = "No space left on device"

  private def take(): Unit = if (calls.getAndDecrement() <= 0) throw new IOException(Message)

  def isCause(e: Throwable): Boolean =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null).exists(t =>
      String.valueOf(t.getMessage).contains(Message)
    )
}
