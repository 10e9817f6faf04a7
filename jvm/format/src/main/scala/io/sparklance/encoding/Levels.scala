package io.sparklance.encoding

import java.util.Arrays

import io.sparklance.data.{DataBlock, Fixed16Block, Fixed32Block, ValueShape}

/** Repetition and definition levels of the slots of a stretch of a page, as the format numbers them (0 =
  * valid leaf).
  *
  * A page that has no nulls or no lists stores no such levels; then `hasDefinition` or `hasRepetition` is
  * false and all of them are 0. Reused from one stretch to the next.
  */
final private[sparklance] class Levels {
  var repetition: Array[Short] = new Array[Short](1024)
  var definition: Array[Short] = new Array[Short](1024)

  /** Levels of a chunk before their validation; for decoders. */
  val scratch: Fixed16Block = new Fixed16Block
  private var lastPositions: (ValueShape, DataBlock) = (ValueShape.FixedWidth(32), new Fixed32Block)
  var hasRepetition: Boolean = false
  var hasDefinition: Boolean = false

  /** Number of slots. */
  var length: Int = 0

  def clear(): Unit = {
    length = 0
    hasRepetition = false
    hasDefinition = false
  }

  /** Returns an empty block for dictionary positions, reused for the chunks of one page; for decoders. */
  def positions(shape: ValueShape): DataBlock = {
    if (lastPositions._1 != shape) lastPositions = (shape, DataBlock.forShape(shape))
    lastPositions._2.clear()
    lastPositions._2
  }

  /** Makes room for `n` more slots and returns where they start. The caller fills in the levels that the page
    * has.
    */
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

  /** Drops the slots after `end`, and those in `[at, from)`. */
  def keep(at: Int, from: Int, end: Int): Unit = {
    if (from > at) {
      System.arraycopy(definition, from, definition, at, end - from)
      System.arraycopy(repetition, from, repetition, at, end - from)
    }
    length = at + end - from
  }

  /** Counts the slots of `[from, end)` with a value: those with a definition level up to `maxVisible`. */
  def visible(from: Int, end: Int, maxVisible: Int): Int = if (!hasDefinition) end - from
  else {
    var count = end - from
    var i = from
    while (i < end) {
      // The sign bit of the difference says that the slot is invisible.
      count -= maxVisible - (definition(i) & 0xffff) >>> 31
      i += 1
    }
    count
  }

  /** Whether some slot has this definition level. */
  def contains(level: Int): Boolean = {
    var i = 0
    while (i < length && (definition(i) & 0xffff) != level) i += 1
    i < length
  }
}
