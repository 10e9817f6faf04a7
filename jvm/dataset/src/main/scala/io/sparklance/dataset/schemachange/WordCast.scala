package io.sparklance.dataset.schemachange

import io.sparklance.data.{Column, DataBlock, Fixed16Block, Fixed32Block, Fixed64Block, Fixed8Block}

/** Type of integers of 1 to 64 bits. */
final private[schemachange] case class WordType(bits: Int, signed: Boolean) {

  /** Smallest value, as a signed 64-bit word; `largest` likewise. */
  val least: Long = if (signed) Long.MinValue >> 64 - bits else 0L
  val largest: Long =
    if (signed || bits == 64) Long.MaxValue >> (if (signed) 64 - bits else 0) else -1L >>> 64 - bits
  val isULong: Boolean = bits == 64 && !signed

  def text(word: Long): String = if (isULong) java.lang.Long.toUnsignedString(word) else word.toString
}

/** Numbers of one unit as those of another. */
sealed private[schemachange] trait Scaling

private[schemachange] object Scaling {
  case object None extends Scaling
  final case class Times(factor: Long) extends Scaling

  /** Division. A value with a remainder does not fit. */
  final case class Parts(divisor: Long) extends Scaling

  /** @param from the larger or the smaller unit, a multiple or a part of the other */
  def between(from: Long, to: Long): Scaling =
    if (from == to) None else if (from > to) Times(from / to) else Parts(to / from)
}

/** Casts integers, dates and times by way of 64-bit words. */
final private[schemachange] class WordCast(from: WordType, to: WordType, scaling: Scaling) extends ValueCast {
  private var words = Array.emptyLongArray

  override def append(
      source: Column,
      from: Int,
      until: Int,
      target: DataBlock,
      lossy: LossyValueHandler
  ): Unit = {
    val n = until - from
    if (words.length < n) words = new Array[Long](n)
    load(source.values, from, n)
    def misfit(i: Int): Unit =
      if (!source.nulls.isNull(from + i)) lossy.found(this.from.text(words(i)), from + i)
    scaling match {
      case Scaling.None => ()
      case Scaling.Times(factor) => multiply(n, factor, misfit)
      case Scaling.Parts(divisor) => divide(n, divisor, misfit)
    }
    check(n, misfit)
    store(n, target)
  }

  private def load(source: DataBlock, from: Int, n: Int): Unit = {
    val mask = if (this.from.signed || this.from.bits == 64) -1L else -1L >>> 64 - this.from.bits
    var i = 0
    source match {
      case b: Fixed8Block => while (i < n) { words(i) = b.values(from + i) & mask; i += 1 }
      case b: Fixed16Block => while (i < n) { words(i) = b.values(from + i) & mask; i += 1 }
      case b: Fixed32Block => while (i < n) { words(i) = b.values(from + i) & mask; i += 1 }
      case b: Fixed64Block => System.arraycopy(b.values, from, words, 0, n)
      case other => throw new IllegalArgumentException(s"words in a ${other.getClass}")
    }
  }

  private def multiply(n: Int, factor: Long, misfit: Int => Unit): Unit = {
    val most = Long.MaxValue / factor
    var i = 0
    while (i < n) {
      val word = words(i)
      if (word > most || word < -most) misfit(i)
      words(i) = word * factor
      i += 1
    }
  }

  private def divide(n: Int, divisor: Long, misfit: Int => Unit): Unit = {
    var i = 0
    while (i < n) {
      val word = words(i)
      if (word % divisor != 0) misfit(i)
      words(i) = word / divisor
      i += 1
    }
  }

  private def check(n: Int, misfit: Int => Unit): Unit = {
    // A word above those that signed ones have looks negative, and fits its like only.
    val least = if (from.isULong && to.isULong) Long.MinValue
    else math.max(to.least, if (from.isULong) 0L else Long.MinValue)
    val largest = to.largest
    var i = 0
    while (i < n) {
      val word = words(i)
      if (word < least || word > largest) misfit(i)
      i += 1
    }
  }

  private def store(n: Int, target: DataBlock): Unit = {
    var i = 0
    target match {
      case b: Fixed8Block =>
        val at = b.extend(n)
        while (i < n) { b.values(at + i) = words(i).toByte; i += 1 }
      case b: Fixed16Block =>
        val at = b.extend(n)
        while (i < n) { b.values(at + i) = words(i).toShort; i += 1 }
      case b: Fixed32Block =>
        val at = b.extend(n)
        while (i < n) { b.values(at + i) = words(i).toInt; i += 1 }
      case b: Fixed64Block =>
        val at = b.extend(n)
        System.arraycopy(words, 0, b.values, at, n)
      case other => throw new IllegalArgumentException(s"words for a ${other.getClass}")
    }
  }
}
