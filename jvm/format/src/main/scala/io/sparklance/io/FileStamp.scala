package io.sparklance.io

/** Identity of the contents of a file within this JVM.
  *
  * @param lane
  *   lane of the file's store
  */
final case class FileStamp(lane: String, path: String, size: Long, modifiedNanos: Long)
