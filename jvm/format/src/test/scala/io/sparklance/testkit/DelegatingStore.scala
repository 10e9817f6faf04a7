package io.sparklance.testkit

import io.sparklance.io.{FileEntry, ObjectStore, ReadProfile, ReadableFile, WritableFile}

/** A store that passes everything on; tests override what is to go wrong. */
class DelegatingStore(inner: ObjectStore) extends ObjectStore {
  def profile: ReadProfile = inner.profile
  def open(path: String, knownSize: Option[Long]): ReadableFile = inner.open(path, knownSize)
  def create(path: String): WritableFile = inner.create(path)
  def put(path: String, bytes: Array[Byte]): Unit = inner.put(path, bytes)
  def putIfAbsent(path: String, bytes: Array[Byte]): Boolean = inner.putIfAbsent(path, bytes)
  def list(directory: String): Vector[FileEntry] = inner.list(directory)
  def walk(directory: String)(visit: FileEntry => Unit): Unit = inner.walk(directory)(visit)
  def directories(directory: String): Vector[String] = inner.directories(directory)
  override def rename(directory: String, to: String): Boolean = inner.rename(directory, to)
  def delete(path: String): Unit = inner.delete(path)
  def deleteTree(directory: String): Unit = inner.deleteTree(directory)
  def exists(path: String): Boolean = inner.exists(path)
}
