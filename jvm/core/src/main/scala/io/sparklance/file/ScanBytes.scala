package io.sparklance.file

import io.sparklance.data.{ByteRange, Slice}
import io.sparklance.io.ReadableFile

/** Where a scan's bytes come from: decoding says which it needs, and waits here. */
trait ScanBytes {

  /** What opens a page; the arrays are the caller's. */
  def init(ranges: Vector[ByteRange]): Vector[Slice]

  /** A stretch of a page; valid until the next one is wanted for the same column of the scan. */
  def window(column: Int, range: ByteRange): Slice
}

/** Reads when asked, into one array for each column that is used over and over. */
final private[file] class DirectBytes(file: ReadableFile, columns: Int) extends ScanBytes {
  private val windows = Array.fill(columns)(Array.emptyByteArray)

  def init(ranges: Vector[ByteRange]): Vector[Slice] = FileRanges.read(file, ranges)

  def window(column: Int, range: ByteRange): Slice = {
    ReadableFile.check(file, range)
    val length = range.length.toInt
    if (windows(column).length < length) windows(column) = new Array[Byte](length)
    if (length > 0) file.read(range, windows(column), 0)
    Slice(windows(column), 0, length)
  }
}
