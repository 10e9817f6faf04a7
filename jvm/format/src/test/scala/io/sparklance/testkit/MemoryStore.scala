package io.sparklance.testkit

import java.io.{ByteArrayOutputStream, FileNotFoundException, OutputStream}
import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue}

import scala.jdk.CollectionConverters._

import io.sparklance.data.ByteRange
import io.sparklance.io.{FileEntry, FileStamp, ObjectStore, ReadProfile, ReadableFile, WritableFile}

/** Files in memory, which remembers what was read. */
final class MemoryStore(val profile: ReadProfile = ReadProfile.Local) extends ObjectStore {
  private val files = new ConcurrentHashMap[String, Array[Byte]]
  private val readRanges = new ConcurrentLinkedQueue[ByteRange]

  /** All ranges read so far, in order. */
  def reads: Vector[ByteRange] = readRanges.asScala.toVector
  def forgetReads(): Unit = readRanges.clear()

  def bytes(path: String): Array[Byte] =
    Option(files.get(path)).getOrElse(throw new FileNotFoundException(path))

  def paths: Vector[String] = files.keySet.asScala.toVector.sorted

  def open(name: String, knownSize: Option[Long]): ReadableFile = new ReadableFile {
    private val content = bytes(name)
    val path: String = name
    def size: Long = content.length.toLong
    def stamp: Option[FileStamp] = None
    def read(range: ByteRange, target: Array[Byte], at: Int): Unit = {
      ReadableFile.check(this, range)
      readRanges.add(range)
      System.arraycopy(content, range.offset.toInt, target, at, range.length.toInt)
    }
    def close(): Unit = ()
  }

  def create(name: String): WritableFile = new WritableFile {
    val path: String = name
    private val out = new ByteArrayOutputStream
    def stream: OutputStream = out
    def commit(): Unit = put(name, out.toByteArray)
    def abort(): Unit = ()
  }

  def put(path: String, bytes: Array[Byte]): Unit = { val _ = files.put(path, bytes) }
  def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = files.putIfAbsent(path, bytes) == null
  def delete(path: String): Unit = { val _ = files.remove(path) }
  def deleteTree(directory: String): Unit = paths.filter(_.startsWith(directory + "/")).foreach(delete)
  def exists(path: String): Boolean = files.containsKey(path)

  def directories(directory: String): Vector[String] = {
    val found = Vector.newBuilder[String]
    walk(directory)(entry => if (entry.name.contains('/')) found += entry.name.takeWhile(_ != '/'))
    found.result().distinct
  }

  def list(directory: String): Vector[FileEntry] = {
    val found = Vector.newBuilder[FileEntry]
    walk(directory)(entry => if (!entry.name.contains('/')) found += entry)
    found.result()
  }

  def walk(directory: String)(visit: FileEntry => Unit): Unit = {
    val prefix = directory.stripSuffix("/") + "/"
    paths
      .filter(_.startsWith(prefix))
      .foreach(p => visit(FileEntry(p.drop(prefix.length), bytes(p).length.toLong, 0)))
  }
}
