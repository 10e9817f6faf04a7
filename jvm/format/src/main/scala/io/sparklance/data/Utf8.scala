package io.sparklance.data

/** Validates UTF-8 by RFC 3629: no overlong code points, none above U+10FFFF, no surrogates. */
private[sparklance] object Utf8 {
  final private val HighBits = 0x8080808080808080L

  def isValid(bytes: Array[Byte], from: Int, until: Int): Boolean = {
    var i = from
    while (i < until)
      if (i + 8 <= until && (LittleEndian.long(bytes, i) & HighBits) == 0) i += 8
      else {
        val size = sequence(bytes, i, until)
        if (size == 0) return false
        i += size
      }
    true
  }

  /** Whether all bytes are ASCII. */
  def isAscii(bytes: Array[Byte], from: Int, until: Int): Boolean = {
    var high = 0L
    var i = from
    while (i + 8 <= until) {
      val word: Long = LittleEndian.LONG.get(bytes, i)
      high |= word
      i += 8
    }
    while (i < until) { high |= bytes(i); i += 1 }
    (high & HighBits) == 0
  }

  /** Returns the bytes of the code point that begins here; 0 if none does. */
  private def sequence(bytes: Array[Byte], at: Int, until: Int): Int = {
    val first = bytes(at) & 0xff
    if (first < 0x80) 1
    else if (first < 0xc2) 0
    else if (first < 0xe0) if (follows(bytes, at, 1, until)) 2 else 0
    else if (first < 0xf0) {
      if (!follows(bytes, at, 2, until)) 0
      else {
        val second = bytes(at + 1) & 0xff
        if (first == 0xe0 && second < 0xa0 || first == 0xed && second >= 0xa0) 0 else 3
      }
    } else if (first < 0xf5 && follows(bytes, at, 3, until)) {
      val second = bytes(at + 1) & 0xff
      if (first == 0xf0 && second < 0x90 || first == 0xf4 && second >= 0x90) 0 else 4
    } else 0
  }

  /** Whether the `n` bytes after `at` continue a code point. */
  private def follows(bytes: Array[Byte], at: Int, n: Int, until: Int): Boolean = {
    var i = at + 1
    val end = at + 1 + n
    if (end > until) false
    else {
      while (i < end && (bytes(i) & 0xc0) == 0x80) i += 1
      i == end
    }
  }
}
