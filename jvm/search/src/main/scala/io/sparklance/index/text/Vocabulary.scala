package io.sparklance.index.text

import java.util.Arrays

import io.sparklance.LanceFormatException
import io.sparklance.data.Slice

/** The tokens of a partition, in the order of their bytes, with their numbers. */
final private[text] class Vocabulary(offsets: Array[Int], bytes: Array[Byte], ids: Array[Int]) {
  def size: Int = ids.length

  /** Returns the number of the token at a place in their order. */
  def number(at: Int): Int = ids(at)

  def weight: Long = bytes.length + 8L * size + 64

  /** Returns the number of a token; -1 if it is unknown. */
  def find(token: Array[Byte]): Int = {
    val at = ceiling(token)
    if (at < size && compare(at, token) == 0) ids(at) else -1
  }

  /** Passes the tokens that begin with `prefix` on, in order, until `use` returns false. */
  def withPrefix(prefix: Array[Byte])(use: Array[Byte] => Boolean): Unit = {
    var at = ceiling(prefix)
    while (at < size && startsWith(at, prefix) && use(token(at))) at += 1
  }

  /** Returns the token at a place in their order. */
  def token(at: Int): Array[Byte] = Arrays.copyOfRange(bytes, offsets(at), offsets(at + 1))

  private def startsWith(at: Int, prefix: Array[Byte]): Boolean = {
    val from = offsets(at)
    offsets(at + 1) - from >= prefix.length &&
    Arrays.equals(bytes, from, from + prefix.length, prefix, 0, prefix.length)
  }

  /** Returns the place of the first token that is not before another. */
  private def ceiling(token: Array[Byte]): Int = {
    var low = 0
    var high = size
    while (low < high) {
      val middle = (low + high) >>> 1
      if (compare(middle, token) < 0) low = middle + 1 else high = middle
    }
    low
  }

  private def compare(at: Int, token: Array[Byte]): Int =
    Arrays.compareUnsigned(bytes, offsets(at), offsets(at + 1), token, 0, token.length)
}

private[text] object Vocabulary {
  final private val MaxBytes = Int.MaxValue - 64

  /** Collects tokens, which must come in ascending order and have numbers below `count`. */
  final private class Builder(count: Int) {
    private val offsets = new Array[Int](count + 1)
    private val ids = new Array[Int](count)
    private var bytes = new Array[Byte](math.max(64, math.min(count, 1 << 20)))
    private var size = 0

    def add(key: Array[Byte], from: Int, length: Int, id: Long): Unit = {
      if (size == count) throw damaged(s"more than $count tokens")
      if (id < 0 || id >= count) throw damaged(s"token $id of $count")
      val at = offsets(size)
      if (at > MaxBytes - length) throw damaged("too many bytes")
      if (at + length > bytes.length)
        bytes = Arrays.copyOf(
          bytes,
          math.min(MaxBytes.toLong, math.max(2L * bytes.length, at.toLong + length)).toInt
        )
      System.arraycopy(key, from, bytes, at, length)
      if (size > 0 && Arrays.compareUnsigned(bytes, offsets(size - 1), at, bytes, at, at + length) >= 0)
        throw damaged("tokens that are not sorted")
      offsets(size + 1) = at + length
      ids(size) = id.toInt
      size += 1
    }

    def result(): Vocabulary = {
      if (size != count) throw damaged(s"$size tokens for $count posting lists")
      new Vocabulary(offsets, bytes, ids)
    }
  }

  /** @param totalBytes
    *   bytes of all tokens, as recorded
    */
  def ofFst(stored: Slice, count: Int, totalBytes: Long): Vocabulary = {
    val fst = new Fst(stored)
    if (fst.count != count) throw damaged(s"${fst.count} tokens for $count posting lists")
    val builder = new Builder(count)
    fst.foreach(maxSteps = math.max(0L, totalBytes) + count + 1)((key, length, id) =>
      builder.add(key, 0, length, id)
    )
    builder.result()
  }

  def ofTable(file: TextFile): Vocabulary = {
    val count = file.rows.toInt
    val columns = file.read(Vector("_token", "_token_id"), 0, count)
    val tokens = TextFile.byteStrings(columns.head.values)
    val ids = TextFile.ints(columns(1))
    val builder = new Builder(count)
    var i = 0
    while (i < count) {
      builder.add(tokens.bytes, tokens.offsets(i), tokens.offsets(i + 1) - tokens.offsets(i), ids(i).toLong)
      i += 1
    }
    builder.result()
  }

  private def damaged(what: String) = new LanceFormatException(s"the tokens of a text index: $what")
}
