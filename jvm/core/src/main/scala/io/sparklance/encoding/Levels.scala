package io.sparklance.encoding

import java.util.Arrays

import io.sparklance.data.Fixed16Block

/** Repetition and definition levels of the slots of a stretch of a page, as the format numbers them (0 = valid leaf).
  *
  * A page that has no nulls or no lists stores no such levels; then `hasDefinition` or `hasRepetition` is false and all of
  * them are 0. Reused from one stretch to the next.
  */
final class Levels {
  var repetition: Array[Short] = new Array[Short](1024)
  var definition: Array[Short] = new Array[Short](1024)

  /** For decoders: levels of a chunk before they are known to be good. */
  val scratch: Fixed16Block = new Fixed16Block
  var hasRepetition: Boolean = false
  var hasDefinition: Boolean = false

  /** Number of slots. */
  var length: Int = 0

  def clear(): Unit = {
    length = 0
    hasRepetition = false
    hasDefinition = false
  }

  /** Makes room for `n` more slots and says where they start; the caller fills the levels that the page has. */
  def extend(n: Int): Int = {
    val needed = Math.addExact(length, n)
    if (needed > definition.length) {
      val capacity = math.max(needed, definition.length + (definition.length >> 1))
      definition = Arrays.copyOf(definition, capacity)
      repetition = Arrays.copyOf(repetition, capacity)
    }
    length = needed
    needed - n
  }
}
