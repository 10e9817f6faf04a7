package io.sparklance.index.text.build

import java.util.Arrays

/** Remembers the tokens of words, found by the bytes of the word. Belongs to one thread. */
final private[build] class WordTable {
  import WordTable._

  private val bytes = new Bytes(1 << 12)

  // By word: end of its bytes, its hash, its token.
  private val ends, hashes, tokens = new Ints

  /** Numbers of words plus 1, at a place that the word's hash chooses or the next free one. */
  private var slots = new Array[Int](1 << 12)

  /** Bytes in memory, about. */
  def sizeInBytes: Long = bytes.size + 12L * ends.size + 4L * slots.length

  /** Returns the number of a word's token, [[Removed]] if it has none, [[Unknown]] if the word is new. */
  def find(text: Array[Byte], from: Int, until: Int, hash: Int): Int = {
    val mask = slots.length - 1
    var at = spread(hash) & mask
    while (slots(at) != 0 && !isWord(slots(at) - 1, text, from, until, hash)) at = (at + 1) & mask
    if (slots(at) == 0) Unknown else tokens.array(slots(at) - 1)
  }

  private def isWord(word: Int, text: Array[Byte], from: Int, until: Int, hash: Int): Boolean =
    hashes.array(word) == hash && {
      val start = if (word == 0) 0 else ends.array(word - 1)
      Arrays.equals(bytes.array, start, ends.array(word), text, from, until)
    }

  /** Adds a new word, unless it is long or there are many. */
  def add(text: Array[Byte], from: Int, until: Int, hash: Int, token: Int): Unit =
    if (until - from <= LongestWord && ends.size < MostWords) {
      bytes.append(text, from, until - from)
      ends.add(bytes.size)
      hashes.add(hash)
      tokens.add(token)
      put(ends.size - 1)
      if (2 * ends.size > slots.length) grow()
    }

  private def put(word: Int): Unit = {
    val mask = slots.length - 1
    var at = spread(hashes.array(word)) & mask
    while (slots(at) != 0) at = (at + 1) & mask
    slots(at) = word + 1
  }

  private def grow(): Unit = {
    slots = new Array[Int](2 * slots.length)
    var word = 0
    while (word < ends.size) { put(word); word += 1 }
  }
}

private object WordTable {
  final val Removed = -1
  final val Unknown = -2
  final private val LongestWord = 64
  final private val MostWords = 1 << 19

  private def spread(hash: Int): Int = {
    val mixed = hash * 0x9e3779b9
    mixed ^ (mixed >>> 16)
  }
}
