package io.sparklance.index.vector

/** Codes of rotated vectors: a bit for each item tells its sign, `extra` further bits its size.
  * {{{
  * signs, packed     for 32 rows and each byte of a code 32 bytes: with P = 0 8 1 9 2 10 … 7 15
  *                   byte j:      lower halves of rows P(j) and P(j) + 16
  *                   byte 16 + j: upper halves
  *                   the rows left over: all first bytes, then all second ones, and so on
  * signs, otherwise  row after row
  * sizes             row after row, blocks of 64 items, of 8 bytes for each bit
  * }}}
  */
private[vector] object RotatedCodes {
  final private val Group = 32
  private val order = Array(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)

  /** Returns all first bytes of the signs of rows, then all second ones, and so on.
    *
    * @param width
    *   bytes of a row
    */
  def signs(codes: Array[Byte], rows: Int, width: Int, isPacked: Boolean): Array[Byte] = {
    val out = new Array[Byte](rows * width)
    val grouped = if (isPacked) rows / Group * Group else 0
    var b = 0
    while (b < width) {
      var first = 0
      while (first < grouped) {
        unpackGroup(codes, first * width + b * Group, out, b * rows + first)
        first += Group
      }
      var row = grouped
      while (row < rows) {
        val at =
          if (isPacked) grouped * width + b * (rows - grouped) + row - grouped else row * width + b
        out(b * rows + row) = codes(at)
        row += 1
      }
      b += 1
    }
    out
  }

  private def unpackGroup(codes: Array[Byte], from: Int, out: Array[Byte], to: Int): Unit = {
    var j = 0
    while (j < 16) {
      val (low, high) = (codes(from + j), codes(from + 16 + j))
      val row = order(j)
      out(to + row) = (low & 15 | (high & 15) << 4).toByte
      out(to + row + 16) = (low >> 4 & 15 | high & 0xf0).toByte
      j += 1
    }
  }

  /** Bytes of the sizes of a row. */
  def sizeWidth(dimension: Int, extra: Int): Int = (dimension + 63) / 64 * 8 * extra

  /** Returns the sizes of all items, a byte for each, row after row. */
  def sizes(codes: Array[Byte], rows: Int, dimension: Int, extra: Int): Array[Byte] = {
    val out = new Array[Byte](rows * dimension)
    val blocks = (dimension + 63) / 64
    val block = new Array[Byte](64)
    var row = 0
    while (row < rows) {
      var b = 0
      while (b < blocks) {
        unpackBlock(codes, (row * blocks + b) * 8 * extra, extra, block)
        System.arraycopy(block, 0, out, row * dimension + 64 * b, math.min(64, dimension - 64 * b))
        b += 1
      }
      row += 1
    }
    out
  }

  private def unpackBlock(codes: Array[Byte], at: Int, extra: Int, out: Array[Byte]): Unit = {
    def byte(i: Int): Int = codes(at + i) & 0xff
    var i = 0
    while (i < 64) {
      val (part, b) = (i >> 4, i & 15)
      out(i) = (extra match {
        case 1 => byte(i >> 3) >> (i & 7) & 1
        case 2 => pairOf(byte(b), part)
        case 3 => pairOf(byte(b), part) | top(codes, at + 16, i) << 2
        case 4 => byte(8 * part + (b & 7)) >> (if (b < 8) 0 else 4) & 15
        case 5 => byte(16 * (part >> 1) + b) >> 4 * (part & 1) & 15 | top(codes, at + 32, i) << 4
        case 6 => sixOf(codes, at, part, b)
        case 7 => sixOf(codes, at, part, b) | top(codes, at + 48, i) << 6
        case 8 => byte(i)
        case other => throw new IllegalStateException(s"sizes of $other bits")
      }).toByte
      i += 1
    }
  }

  private def pairOf(byte: Int, part: Int): Int = byte >> 2 * part & 3

  /** Six bits: those of the last part are the upper bits of the others' bytes. */
  private def sixOf(codes: Array[Byte], at: Int, part: Int, b: Int): Int =
    if (part < 3) codes(at + 16 * part + b) & 63
    else
      (codes(at + b) >> 6 & 3) | (codes(at + 16 + b) >> 6 & 3) << 2 | (codes(at + 32 + b) >> 6 & 3) << 4

  /** The bit of an item in a plane of top bits. */
  private def top(codes: Array[Byte], at: Int, item: Int): Int = {
    val (part, b) = (item >> 4, item & 15)
    val bit = 8 * (b & 7) + 2 * part + (b >> 3)
    codes(at + (bit >> 3)) >> (bit & 7) & 1
  }
}
