package io.sparklance.encoding.physical

import java.util.Arrays

import io.sparklance.data.LittleEndian.{INT, LONG, SHORT}
import io.sparklance.data.{
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  NestedBlock,
  VariableBlock
}

/** FastLanes bit-packing of groups of 1024 words of T bits into W bits each.
  *
  * A group is seen as 1024/T lanes of T rows. Lane l's row r is value `rowStart(r) + l`, and it is bits
  * `[r*W, (r+1)*W)` of the lane's own bit stream, lowest bits first. The streams are interleaved: word k of
  * lane l is word `k * lanes + l` of the packed group, which thus is `W * lanes` words = 128 * W bytes long
  * whatever T is.
  * {{{
  * rowStart(r) = order(r / 8) * 16 + (r % 8) * 128          order = 0 4 2 6 1 5 3 7
  * }}}
  * Neighbouring lanes hold neighbouring values, so that the inner loops below run over both sides in step and
  * are vectorised. Packed data is always a byte array for the same reason: between arrays of one type C2 has
  * to assume an overlap.
  *
  * @see
  *   Afroozeh and Boncz, The FastLanes Compression Layout, VLDB 2023
  */
private[encoding] object FastLanes {

  /** Values in a group. */
  final val Group = 1024

  private val rowStarts: Array[Int] = {
    val order = Array(0, 4, 2, 6, 1, 5, 3, 7)
    Array.tabulate(64)(r => order(r / 8) * 16 + (r % 8) * 128)
  }

  /** Bytes of a packed group. */
  def packedBytes(width: Int): Int = Group / 8 * width

  /** Unpacks one group to the values `[at, at + 1024)` of `out`, which exist already. The caller has checked
    * that `width` is at most that of the block's values and that `in` holds [[packedBytes]] from `from` on.
    */
  def unpack(width: Int, in: Array[Byte], from: Int, out: DataBlock, at: Int): Unit = out match {
    case block: Fixed8Block =>
      if (width == 0) Arrays.fill(block.values, at, at + Group, 0.toByte)
      else unpack8(width, in, from, block.values, at)
    case block: Fixed16Block =>
      if (width == 0) Arrays.fill(block.values, at, at + Group, 0.toShort)
      else unpack16(width, in, from, block.values, at)
    case block: Fixed32Block =>
      if (width == 0) Arrays.fill(block.values, at, at + Group, 0)
      else unpack32(width, in, from, block.values, at)
    case block: Fixed64Block =>
      if (width == 0) Arrays.fill(block.values, at, at + Group, 0L)
      else unpack64(width, in, from, block.values, at)
    case _: FixedBytesBlock | _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock =>
      Widths.mismatch("packed words", out)
  }

  /** Eight lanes at a time, as the bytes of a long; the masks drop what shifts carry over from their
    * neighbours.
    */
  private def unpack8(width: Int, in: Array[Byte], from: Int, out: Array[Byte], at: Int): Unit = {
    val mask = 0xff >>> 8 - width
    var row = 0
    while (row < 8) {
      val bit = row * width
      val shift = bit & 7
      val low = (mask & 0xff >>> shift) * 0x0101010101010101L
      val high = mask * 0x0101010101010101L & ~low
      val word = from + (bit >>> 3) * 128
      val target = at + row * 128
      var lane = 0
      if (shift + width > 8)
        while (lane < 128) {
          val first: Long = LONG.get(in, word + lane)
          val second: Long = LONG.get(in, word + 128 + lane)
          LONG.set(out, target + lane, first >>> shift & low | second << 8 - shift & high)
          lane += 8
        }
      else
        while (lane < 128) {
          val first: Long = LONG.get(in, word + lane)
          LONG.set(out, target + lane, first >>> shift & low)
          lane += 8
        }
      row += 1
    }
  }

  private def unpack16(width: Int, in: Array[Byte], from: Int, out: Array[Short], at: Int): Unit = {
    val mask = 0xffff >>> 16 - width
    var row = 0
    while (row < 16) {
      val bit = row * width
      val shift = bit & 15
      val word = from + (bit >>> 4) * 128
      val target = at + rowStarts(row)
      var lane = 0
      if (shift + width > 16)
        while (lane < 64) {
          val first: Short = SHORT.get(in, word + 2 * lane)
          val second: Short = SHORT.get(in, word + 128 + 2 * lane)
          out(target + lane) = (((first & 0xffff) >>> shift | second << 16 - shift) & mask).toShort
          lane += 1
        }
      else
        while (lane < 64) {
          val first: Short = SHORT.get(in, word + 2 * lane)
          out(target + lane) = ((first & 0xffff) >>> shift & mask).toShort
          lane += 1
        }
      row += 1
    }
  }

  private def unpack32(width: Int, in: Array[Byte], from: Int, out: Array[Int], at: Int): Unit = {
    val mask = -1 >>> 32 - width
    var row = 0
    while (row < 32) {
      val bit = row * width
      val shift = bit & 31
      val word = from + (bit >>> 5) * 128
      val target = at + rowStarts(row)
      var lane = 0
      if (shift + width > 32)
        while (lane < 32) {
          val first: Int = INT.get(in, word + 4 * lane)
          val second: Int = INT.get(in, word + 128 + 4 * lane)
          out(target + lane) = (first >>> shift | second << 32 - shift) & mask
          lane += 1
        }
      else
        while (lane < 32) {
          val first: Int = INT.get(in, word + 4 * lane)
          out(target + lane) = first >>> shift & mask
          lane += 1
        }
      row += 1
    }
  }

  private def unpack64(width: Int, in: Array[Byte], from: Int, out: Array[Long], at: Int): Unit = {
    val mask = -1L >>> 64 - width
    var row = 0
    while (row < 64) {
      val bit = row * width
      val shift = bit & 63
      val word = from + (bit >>> 6) * 128
      val target = at + rowStarts(row)
      var lane = 0
      if (shift + width > 64)
        while (lane < 16) {
          val first: Long = LONG.get(in, word + 8 * lane)
          val second: Long = LONG.get(in, word + 128 + 8 * lane)
          out(target + lane) = (first >>> shift | second << 64 - shift) & mask
          lane += 1
        }
      else
        while (lane < 16) {
          val first: Long = LONG.get(in, word + 8 * lane)
          out(target + lane) = first >>> shift & mask
          lane += 1
        }
      row += 1
    }
  }

  /** Returns the bits of the widest of the values `[from, from + count)`, as unsigned numbers. */
  def widthOf(values: DataBlock, from: Int, count: Int): Int = {
    var all = 0L
    var i = from
    values match {
      case block: Fixed8Block => while (i < from + count) { all |= block.values(i) & 0xff; i += 1 }
      case block: Fixed16Block => while (i < from + count) { all |= block.values(i) & 0xffff; i += 1 }
      case block: Fixed32Block => while (i < from + count) { all |= block.values(i) & 0xffffffffL; i += 1 }
      case block: Fixed64Block => while (i < from + count) { all |= block.values(i); i += 1 }
      case _: FixedBytesBlock | _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock =>
        Widths.mismatch("packed words", values)
    }
    64 - java.lang.Long.numberOfLeadingZeros(all)
  }

  /** Packs the values `[from, from + count)`, and zeroes up to 1024, to `out` from `at` on, where all bytes
    * are still 0. No value is wider than `width`.
    */
  def pack(width: Int, values: DataBlock, from: Int, count: Int, out: Array[Byte], at: Int): Unit =
    if (width > 0) values match {
      case block: Fixed8Block => pack8(width, Arrays.copyOfRange(block.values, from, from + count), out, at)
      case block: Fixed16Block =>
        if (count == Group) pack16(width, block.values, from, out, at)
        else pack16(
          width,
          Arrays.copyOf(Arrays.copyOfRange(block.values, from, from + count), Group),
          0,
          out,
          at
        )
      case block: Fixed32Block =>
        if (count == Group) pack32(width, block.values, from, out, at)
        else pack32(
          width,
          Arrays.copyOf(Arrays.copyOfRange(block.values, from, from + count), Group),
          0,
          out,
          at
        )
      case block: Fixed64Block =>
        if (count == Group) pack64(width, block.values, from, out, at)
        else pack64(
          width,
          Arrays.copyOf(Arrays.copyOfRange(block.values, from, from + count), Group),
          0,
          out,
          at
        )
      case _: FixedBytesBlock | _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock =>
        Widths.mismatch("packed words", values)
    }

  private def pack8(width: Int, some: Array[Byte], out: Array[Byte], at: Int): Unit = {
    val in = Arrays.copyOf(some, Group)
    var row = 0
    while (row < 8) {
      val bit = row * width
      val shift = bit & 7
      val word = at + (bit >>> 3) * 128
      // The bits of each byte that stay in this word.
      val low = (0xff << shift & 0xff) * 0x0101010101010101L
      var lane = 0
      while (lane < 128) {
        val value: Long = LONG.get(in, row * 128 + lane)
        val before: Long = LONG.get(out, word + lane)
        LONG.set(out, word + lane, before | value << shift & low)
        if (shift + width > 8) LONG.set(out, word + 128 + lane, (value & ~(low >>> shift)) >>> 8 - shift)
        lane += 8
      }
      row += 1
    }
  }

  private def pack16(width: Int, in: Array[Short], from: Int, out: Array[Byte], at: Int): Unit = {
    var row = 0
    while (row < 16) {
      val bit = row * width
      val shift = bit & 15
      val word = at + (bit >>> 4) * 128
      val source = from + rowStarts(row)
      var lane = 0
      while (lane < 64) {
        val before: Short = SHORT.get(out, word + 2 * lane)
        SHORT.set(out, word + 2 * lane, (before | in(source + lane) << shift).toShort)
        lane += 1
      }
      lane = 0
      if (shift + width > 16) while (lane < 64) {
        SHORT.set(out, word + 128 + 2 * lane, ((in(source + lane) & 0xffff) >>> 16 - shift).toShort)
        lane += 1
      }
      row += 1
    }
  }

  private def pack32(width: Int, in: Array[Int], from: Int, out: Array[Byte], at: Int): Unit = {
    var row = 0
    while (row < 32) {
      val bit = row * width
      val shift = bit & 31
      val word = at + (bit >>> 5) * 128
      val source = from + rowStarts(row)
      var lane = 0
      while (lane < 32) {
        val before: Int = INT.get(out, word + 4 * lane)
        INT.set(out, word + 4 * lane, before | in(source + lane) << shift)
        lane += 1
      }
      lane = 0
      if (shift + width > 32) while (lane < 32) {
        INT.set(out, word + 128 + 4 * lane, in(source + lane) >>> 32 - shift)
        lane += 1
      }
      row += 1
    }
  }

  private def pack64(width: Int, in: Array[Long], from: Int, out: Array[Byte], at: Int): Unit = {
    var row = 0
    while (row < 64) {
      val bit = row * width
      val shift = bit & 63
      val word = at + (bit >>> 6) * 128
      val source = from + rowStarts(row)
      var lane = 0
      while (lane < 16) {
        val before: Long = LONG.get(out, word + 8 * lane)
        LONG.set(out, word + 8 * lane, before | in(source + lane) << shift)
        lane += 1
      }
      lane = 0
      if (shift + width > 64) while (lane < 16) {
        LONG.set(out, word + 128 + 8 * lane, in(source + lane) >>> 64 - shift)
        lane += 1
      }
      row += 1
    }
  }
}
