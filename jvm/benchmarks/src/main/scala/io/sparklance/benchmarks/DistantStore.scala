package io.sparklance.benchmarks

import io.sparklance.data.ByteRange
import io.sparklance.io._

/** The local disk as if it were far away: each request takes `latency` longer, as those to an object store
  * do.
  */
final class DistantStore(latencyMillis: Long, tuning: ReadTuning) extends ObjectStore {
  def profile: ReadProfile = tuning.of(ReadProfile.remote("distant"))

  def open(path: String, knownSize: Option[Long]): ReadableFile = {
    val file = LocalStore.open(path, knownSize)
    new ReadableFile {
      def path: String = file.path
      def size: Long = file.size
      def stamp: Option[FileStamp] = file.stamp
      def read(range: ByteRange, target: Array[Byte], at: Int): Unit = {
        Thread.sleep(latencyMillis)
        file.read(range, target, at)
      }
      def close(): Unit = file.close()
    }
  }

  def create(path: String): WritableFile = LocalStore.create(path)
  def put(path: String, bytes: Array[Byte]): Unit = LocalStore.put(path, bytes)
  def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = LocalStore.putIfAbsent(path, bytes)
  def list(directory: String): Vector[FileEntry] = LocalStore.list(directory)
  def walk(directory: String)(visit: FileEntry => Unit): Unit = LocalStore.walk(directory)(visit)
  def directories(directory: String): Vector[String] = LocalStore.directories(directory)
  def delete(path: String): Unit = LocalStore.delete(path)
  def deleteTree(directory: String): Unit = LocalStore.deleteTree(directory)
  def exists(path: String): Boolean = LocalStore.exists(path)
}

object DistantStore {

  /** The local disk, unless the JVM was given `-Dlatency=<milliseconds>`; `-DmaxRequests` and `-DreadAhead`
    * (bytes) are as the options of these names.
    */
  def configured: ObjectStore = {
    val tuning = ReadTuning(
      Option(Integer.getInteger("maxRequests")).map(_.intValue),
      Option(java.lang.Long.getLong("readAhead")).map(_.longValue)
    )
    Option(java.lang.Long.getLong("latency")).fold[ObjectStore](LocalStore.tuned(tuning)) { millis =>
      new DistantStore(millis.longValue, tuning)
    }
  }
}
