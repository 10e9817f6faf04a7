package io.sparklance.io

/** @param lane lane of the file's store */
final case class FileStamp(lane: String, path: String, size: Long, modifiedNanos: Long)
