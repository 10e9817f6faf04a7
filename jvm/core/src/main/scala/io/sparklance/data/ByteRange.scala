package io.sparklance.data

/** `length` bytes of a file from absolute position `offset`. */
final case class ByteRange(offset: Long, length: Long) {
  def end: Long = offset + length

  /** The part of this range that starts `from` bytes into it and is `size` long. */
  def slice(from: Long, size: Long): ByteRange = {
    require(from >= 0 && size >= 0 && from + size <= length, s"[$from, ${from + size}) is outside $this")
    ByteRange(offset + from, size)
  }
}
