package io.sparklance.io

/** A file in a listing of a directory.
  *
  * @param name
  *   the last part of its path; in a walk, the path below the walked directory
  */
final case class FileEntry(name: String, size: Long, modifiedMillis: Long)
