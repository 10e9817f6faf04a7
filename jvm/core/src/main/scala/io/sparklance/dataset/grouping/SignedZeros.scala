package io.sparklance.dataset.grouping

import io.sparklance.data.{DataBlock, Fixed32Block, Fixed64Block}
import io.sparklance.dataset.predicate.NumberKeys

/** Makes room for a key of -0.0 between those of 0.0 and of negative numbers. In
  * [[io.sparklance.dataset.predicate.NumberKeys]], both zeros have one key.
  */
private object SignedZeros {
  final private val NegativeZero = -1L

  /** Changes the keys of floats so that -0.0 comes before 0.0. */
  def rank(block: DataBlock, keys: Array[Long], rows: Int): Unit = {
    var i = 0
    block match {
      case floats: Fixed32Block =>
        val bits = floats.values
        while (i < rows) { if (bits(i) == Int.MinValue || keys(i) < 0) keys(i) -= 1; i += 1 }
      case doubles: Fixed64Block =>
        val bits = doubles.values
        while (i < rows) { if (bits(i) == Long.MinValue || keys(i) < 0) keys(i) -= 1; i += 1 }
      case other => refuse(other)
    }
  }

  /** Appends the float of a changed key. */
  def append(keys: NumberKeys, key: Long, block: DataBlock): Unit =
    if (key != NegativeZero) keys.append(if (key < 0) key + 1 else key, block)
    else
      block match {
        case floats: Fixed32Block => floats.append(Int.MinValue)
        case doubles: Fixed64Block => doubles.append(Long.MinValue)
        case other => refuse(other)
      }

  private def refuse(block: DataBlock): Nothing =
    throw new IllegalStateException(s"no floats: ${block.getClass}")
}
