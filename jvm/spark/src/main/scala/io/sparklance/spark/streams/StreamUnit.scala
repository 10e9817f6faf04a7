package io.sparklance.spark.streams

/** Something that a stream reads in one batch or another: a fragment, or the changes of a version.
  *
  * @param files
  *   number of fragments
  */
final private[sparklance] case class StreamUnit(files: Long, bytes: Long, rows: Long) {
  def +(other: StreamUnit): StreamUnit =
    StreamUnit(files + other.files, bytes + other.bytes, rows + other.rows)
}

private[sparklance] object StreamUnit {
  val none: StreamUnit = StreamUnit(0, 0, 0)
}
