package io.sparklance.data

/** `length` bytes of a file from absolute position `offset`. */
final case class ByteRange(offset: Long, length: Long) {
  def end: Long = offset + length

  /** Returns `size` bytes of this range, from its byte `from` on. */
  def slice(from: Long, size: Long): ByteRange = {
    require(from >= 0 && size >= 0 && from + size <= length, s"[$from, ${from + size}) is outside $this")
    ByteRange(offset + from, size)
  }
}
