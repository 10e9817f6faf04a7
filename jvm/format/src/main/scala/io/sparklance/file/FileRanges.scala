package io.sparklance.file

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, Slice}
import io.sparklance.io.{RangeCoalescer, ReadableFile}

/** Byte ranges whose positions and sizes stand in the file itself. */
private[file] object FileRanges {
  final private val MaxGap = 16L << 10
  final private val MaxLength = 8L << 20

  def checked(position: Long, size: Long, fileSize: Long, what: String): ByteRange = {
    if (position < 0 || size < 0 || position > fileSize || size > fileSize - position)
      throw new LanceFormatException(
        s"$what of $size bytes at $position is outside of the file of $fileSize bytes"
      )
    ByteRange(position, size)
  }

  /** The bytes of each of `wanted`, in arrays of their own, by as few reads as is sensible. */
  def read(file: ReadableFile, wanted: Vector[ByteRange]): Vector[Slice] = {
    val slices = Array.fill(wanted.size)(Slice.Empty)
    for (group <- RangeCoalescer.coalesce(wanted, MaxGap, MaxLength) if group.range.length > 0) {
      ReadableFile.check(file, group.range)
      val bytes = new Array[Byte](group.range.length.toInt)
      file.read(group.range, bytes, 0)
      group.members.foreach { i =>
        slices(i) = Slice(bytes).slice(wanted(i).offset - group.range.offset, wanted(i).length, "a read")
      }
    }
    slices.toVector
  }
}
