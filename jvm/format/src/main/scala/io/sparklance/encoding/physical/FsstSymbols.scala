package io.sparklance.encoding.physical

import java.util.Arrays

import io.sparklance.data.LittleEndian

/** The symbols of an FSST table, and the search for the longest symbol at a position. [[Fsst]] describes the
  * table.
  *
  * A symbol is a word with its first byte lowest, padded with zeroes. Symbols of three bytes and more are
  * hashed by their first three, in chains with the longest first; shorter ones are looked up directly.
  *
  * @param words
  *   at most 255
  */
final private[physical] class FsstSymbols(val words: Array[Long], val lengths: Array[Int]) {
  import FsstSymbols._

  private val order: Array[Int] = words.indices.sortBy(-lengths(_)).toArray

  // A chain is a run of `order`, from its head to a symbol with another hash.
  private val heads = new Array[Short](Heads)
  private val chainWords = new Array[Long](words.length + 1)
  private val chainMasks = new Array[Long](words.length + 1)
  private val chainFound = new Array[Short](words.length + 1)
  private val chainNext = new Array[Short](words.length + 1)

  /** Codes of single bytes, and of pairs. */
  private val ofByte = new Array[Short](256)
  private val ofTwoBytes = new Array[Short](1 << 16)

  fillShort()
  fillChains()

  /** Finds the longest symbol at the start of `word`, whose `left` lowest bytes are text and the others zero.
    * Returns its code, shifted by [[LengthBits]], and its length; [[NotFound]] if there is none.
    */
  def find(word: Long, left: Int): Int = {
    var link = heads(hash(word)).toInt
    while (link > 0 && ((word & chainMasks(link)) != chainWords(link) || (chainFound(link) & 15) > left))
      link = chainNext(link)
    if (link > 0) chainFound(link).toInt
    else if (left > 1) ofTwoBytes((word & 0xffff).toInt).toInt
    else ofByte((word & 0xff).toInt).toInt
  }

  /** Writes the codes of `in[from, to)` to `out` from `at` on, which has room for twice as many bytes.
    * Returns their end.
    */
  def encode(in: Array[Byte], from: Int, to: Int, out: Array[Byte], at: Int): Int = {
    var ip = from
    var op = at
    while (ip < to) {
      val found = find(word(in, ip, to - ip), to - ip)
      if (found >= 0) {
        out(op) = (found >> LengthBits).toByte
        op += 1
        ip += found & 15
      } else {
        out(op) = Escape.toByte
        out(op + 1) = in(ip)
        op += 2
        ip += 1
      }
    }
    op
  }

  /** Returns the table as stored on disk; see [[Fsst]]. */
  def print: Array[Byte] = {
    val bytes = new Array[Byte](Fsst.TableBytes)
    LittleEndian.putLong(bytes, 0, Fsst.Magic.toLong << 32 | 1L << 24 | words.length.toLong)
    words.indices.foreach { i =>
      LittleEndian.putLong(bytes, 8 + 8 * i, words(i))
      bytes(8 + 8 * words.length + i) = lengths(i).toByte
    }
    bytes
  }

  private def fillShort(): Unit = {
    Arrays.fill(ofByte, NotFound.toShort)
    Arrays.fill(ofTwoBytes, NotFound.toShort)
    words.indices.filter(lengths(_) == 1).foreach { code =>
      val first = words(code).toInt
      ofByte(first) = found(code)
      var second = 0
      while (second < 256) { ofTwoBytes(second << 8 | first) = found(code); second += 1 }
    }
    words.indices.filter(lengths(_) == 2).foreach(code => ofTwoBytes(words(code).toInt) = found(code))
  }

  /** Links start at 1. The shortest symbols are added first, so that the longest end up at the heads. */
  private def fillChains(): Unit = order.reverse.zipWithIndex.foreach { case (code, i) =>
    if (lengths(code) > 2) {
      val head = hash(words(code))
      chainWords(i + 1) = words(code)
      chainMasks(i + 1) = -1L >>> 64 - 8 * lengths(code)
      chainFound(i + 1) = found(code)
      chainNext(i + 1) = heads(head)
      heads(head) = (i + 1).toShort
    }
  }

  private def found(code: Int): Short = (code << LengthBits | lengths(code)).toShort
}

private[physical] object FsstSymbols {
  final val LengthBits = 4
  final val NotFound = -1
  final val Escape = 255
  final private val Heads = 4096

  val None: FsstSymbols = new FsstSymbols(Array.emptyLongArray, Array.emptyIntArray)

  /** Hashes the first three bytes. */
  private def hash(word: Long): Int = ((word & 0xffffff) * 0x9e3779b1L >>> 16 & Heads - 1).toInt

  /** Returns the next 8 bytes, or the `left` remaining ones padded with zeroes. */
  def word(in: Array[Byte], at: Int, left: Int): Long =
    if (at + 8 <= in.length) {
      val whole: Long = LittleEndian.LONG.get(in, at)
      if (left >= 8) whole else whole & -1L >>> 64 - 8 * left
    } else {
      var bytes = 0L
      var i = math.min(8, left) - 1
      while (i >= 0) { bytes = bytes << 8 | in(at + i) & 0xff; i -= 1 }
      bytes
    }
}
