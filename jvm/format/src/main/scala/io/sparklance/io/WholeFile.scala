package io.sparklance.io

import java.io.FileNotFoundException

import scala.util.Using

import io.sparklance.data.ByteRange

/** Reads small files in one piece: manifests, transactions, references, deletion files, notes of jobs. */
private[sparklance] object WholeFile {

  /** Returns all bytes of a file; throws a `LanceFormatException` if they do not fit in an array. */
  def bytes(file: ReadableFile): Array[Byte] = {
    val range = ByteRange(0, file.size)
    ReadableFile.check(file, range)
    val bytes = new Array[Byte](file.size.toInt)
    file.read(range, bytes, 0)
    bytes
  }

  def read(store: ObjectStore, path: String): Array[Byte] = Using.resource(store.open(path))(bytes)

  /** Returns what `body` makes of a file; None if the file does not exist. */
  def ifExists[A](store: ObjectStore, path: String)(body: ReadableFile => A): Option[A] =
    try Some(Using.resource(store.open(path))(body))
    catch { case _: FileNotFoundException => None }
}
