package io.sparklance.index.build

import java.nio.{ByteBuffer, ByteOrder}

/** Numbers as differences from the least one, each in as many bytes as the greatest takes:
  * {{{
  * i64 least | u8 width: 0, 1, 2, 4 or 8 | width bytes for each number
  * }}}
  */
private[build] object PackedLongs {
  final private val HeaderBytes = 9

  /** Appends the first `n` numbers to `out`, which has [[size]] bytes left. */
  def put(out: ByteBuffer, values: Array[Long], n: Int): Unit = {
    val least = this.least(values, n)
    val width = widthOf(values, n, least)
    out.putLong(least).put(width.toByte)
    var i = 0
    width match {
      case 0 => ()
      case 1 => while (i < n) { out.put((values(i) - least).toByte); i += 1 }
      case 2 => while (i < n) { out.putShort((values(i) - least).toShort); i += 1 }
      case 4 => while (i < n) { out.putInt((values(i) - least).toInt); i += 1 }
      case _ => while (i < n) { out.putLong(values(i) - least); i += 1 }
    }
  }

  /** Reads `n` numbers to `values` from `at` on. */
  def get(in: ByteBuffer, values: Array[Long], at: Int, n: Int): Unit = {
    val least = in.getLong()
    val end = at + n
    var i = at
    in.get() match {
      case 0 => java.util.Arrays.fill(values, at, end, least)
      case 1 => while (i < end) { values(i) = least + (in.get() & 0xffL); i += 1 }
      case 2 => while (i < end) { values(i) = least + (in.getShort() & 0xffffL); i += 1 }
      case 4 => while (i < end) { values(i) = least + (in.getInt() & 0xffffffffL); i += 1 }
      case _ => while (i < end) { values(i) = least + in.getLong(); i += 1 }
    }
  }

  /** Bytes that [[put]] appends. */
  def size(values: Array[Long], n: Int): Long =
    HeaderBytes + n.toLong * widthOf(values, n, least(values, n))

  /** Returns an empty buffer in the order of bytes that [[put]] and [[get]] use. */
  def buffer(size: Long): ByteBuffer =
    ByteBuffer.allocate(Math.toIntExact(size)).order(ByteOrder.LITTLE_ENDIAN)

  private def least(values: Array[Long], n: Int): Long = {
    var least = if (n > 0) values(0) else 0L
    var i = 1
    while (i < n) { least = math.min(least, values(i)); i += 1 }
    least
  }

  /** Differences may exceed 63 bits; as unsigned numbers they are right. */
  private def widthOf(values: Array[Long], n: Int, least: Long): Int = {
    var all = 0L
    var i = 0
    while (i < n) { all |= values(i) - least; i += 1 }
    64 - java.lang.Long.numberOfLeadingZeros(all) match {
      case 0 => 0
      case bits if bits <= 8 => 1
      case bits if bits <= 16 => 2
      case bits if bits <= 32 => 4
      case _ => 8
    }
  }
}
