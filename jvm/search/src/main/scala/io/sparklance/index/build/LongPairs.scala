package io.sparklance.index.build

/** Sorts signed numbers, each with a value, by radix: one stable pass for each byte in which they differ. */
final private[build] class LongPairs(var keys: Array[Long], var values: Array[Long]) {

  /** Sorts the first `n` pairs. The arrays may be other ones afterwards. */
  def sort(n: Int): Unit = if (!isSorted(n)) {
    var varying = 0L
    var i = 1
    while (i < n) { varying |= keys(i) ^ keys(0); i += 1 }
    var (otherKeys, otherValues) = (new Array[Long](n), new Array[Long](n))
    var shift = 0
    while (shift < 64) {
      if ((varying >>> shift & 0xff) != 0) {
        pass(n, shift, otherKeys, otherValues)
        val (lastKeys, lastValues) = (keys, values)
        keys = otherKeys
        values = otherValues
        otherKeys = lastKeys
        otherValues = lastValues
      }
      shift += 8
    }
  }

  private def isSorted(n: Int): Boolean = {
    var i = 1
    while (i < n && keys(i - 1) <= keys(i)) i += 1
    i >= n
  }

  private def pass(n: Int, shift: Int, toKeys: Array[Long], toValues: Array[Long]): Unit = {
    // The sign is inverted in the highest byte.
    val flip = if (shift == 56) 0x80 else 0
    val places = new Array[Int](257)
    var i = 0
    while (i < n) { places(((keys(i) >>> shift).toInt & 0xff ^ flip) + 1) += 1; i += 1 }
    i = 1
    while (i < 257) { places(i) += places(i - 1); i += 1 }
    i = 0
    while (i < n) {
      val digit = (keys(i) >>> shift).toInt & 0xff ^ flip
      val at = places(digit)
      places(digit) = at + 1
      toKeys(at) = keys(i)
      toValues(at) = values(i)
      i += 1
    }
  }
}
