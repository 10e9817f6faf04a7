package io.sparklance.index.text.build

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays
import java.util.concurrent.ThreadLocalRandom

import scala.util.hashing.MurmurHash3

/** Gives tokens numbers, in the order in which they come. */
final private[build] class TokenTable {
  private var tokens = new Array[String](1 << 10)

  /** Numbers plus 1, at a place that the token's hash chooses or the next free one. */
  private var slots = new Array[Int](1 << 12)
  private var count, characters = 0

  // Random, so that no text can be made whose tokens all have the same hash.
  private val seed = ThreadLocalRandom.current.nextInt()

  def size: Int = count

  /** Bytes in memory, about. */
  def sizeInBytes: Long = TokenTable.TokenBytes * count + 2L * characters

  def number(token: String): Int = {
    val mask = slots.length - 1
    var at = hash(token) & mask
    while (slots(at) != 0 && !tokens(slots(at) - 1).equals(token)) at = (at + 1) & mask
    if (slots(at) == 0) add(token, at) else slots(at) - 1
  }

  private def hash(token: String): Int = MurmurHash3.stringHash(token, seed)

  private def add(token: String, at: Int): Int = {
    if (count == tokens.length) tokens = Arrays.copyOf(tokens, 2 * count)
    tokens(count) = token
    count += 1
    characters += token.length
    slots(at) = count
    if (4 * count > 3 * slots.length) grow()
    count - 1
  }

  private def grow(): Unit = {
    slots = new Array[Int](2 * slots.length)
    val mask = slots.length - 1
    var i = 0
    while (i < count) {
      var at = hash(tokens(i)) & mask
      while (slots(at) != 0) at = (at + 1) & mask
      slots(at) = i + 1
      i += 1
    }
  }

  /** Returns the tokens with their numbers, in the order of their bytes. */
  def sorted: Array[NumberedToken] = {
    val all = Array.tabulate(count)(i => new NumberedToken(tokens(i).getBytes(UTF_8), i))
    Arrays.sort(all, TokenTable.ByBytes)
    all
  }
}

final private[build] class NumberedToken(val bytes: Array[Byte], val number: Int)

private object TokenTable {

  /** Bytes of a token's string, its places in the arrays, and its bytes when sorted. */
  final private val TokenBytes = 120L

  private val ByBytes: java.util.Comparator[NumberedToken] =
    (a, b) => Arrays.compareUnsigned(a.bytes, b.bytes)
}
