package io.sparklance.index.rows

import io.sparklance.data.Slice
import io.sparklance.table.deletion.RoaringOffsets
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Sets of 64-bit numbers as indices store them.
  * {{{
  * bitmap, label list, nulls:  u32 count | count × (u32 upper half, u32 size, Roaring bitmap of `size` bytes)
  * n-gram:                     u64 count | count × (u32 upper half, Roaring bitmap)
  * }}}
  * Upper halves ascend. Size 0 means all numbers with that upper half; no index that the reference builds has
  * it, and a few bytes would ask for gigabytes, so such a set is not used.
  */
private[index] object IdSetCodec {

  /** Parses the form with sizes. */
  def parse(bytes: Slice): IdSet = {
    val out = new IdSetBuilder
    var at = 4L
    val count = bytes.unsignedInt(0)
    var i = 0L
    while (i < count) {
      val header = bytes.slice(at, 8, "a set of rows")
      val size = header.unsignedInt(4)
      val body = bytes.slice(at + 8, size, "a set of rows")
      if (size == 0) throw new UnsupportedLanceFeatureException("an index entry for all rows of a fragment")
      out.add(header.unsignedInt(0), RoaringOffsets.decode(body))
      at += 8 + size
      i += 1
    }
    checkEnd(bytes, at)
    out.result
  }

  /** Parses the form without sizes. */
  def parseTreemap(bytes: Slice): IdSet = {
    val out = new IdSetBuilder
    var at = 8L
    val count = bytes.long(0)
    var i = 0L
    while (i < count) {
      val upper = bytes.slice(at, 4, "a set of rows").unsignedInt(0)
      val bitmap = RoaringOffsets.decode(bytes.slice(at + 4, bytes.length - at - 4, "a set of rows"))
      out.add(upper, bitmap)
      at += 4 + bitmap.serializedSizeInBytes
      i += 1
    }
    checkEnd(bytes, at)
    out.result
  }

  private def checkEnd(bytes: Slice, at: Long): Unit =
    if (at != bytes.length)
      throw new LanceFormatException(s"a set of rows of ${bytes.length} bytes ends at byte $at")
}
