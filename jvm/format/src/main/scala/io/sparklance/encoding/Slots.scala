package io.sparklance.encoding

import java.util.Arrays

import io.sparklance.data.{Fixed16Block, NullMask}
import io.sparklance.proto.encodings.RepDefLayer

/** The levels of a page's slots for a writer, numbered as [[Layers]] explains.
  *
  * @param kinds
  *   of the layers, innermost first
  * @param repetition
  *   empty if there are no lists
  * @param definition
  *   empty if the layers have no such levels
  */
final private[sparklance] class Slots(
    val kinds: Vector[RepDefLayer],
    val length: Int,
    val repetition: Option[Array[Short]],
    val definition: Option[Array[Short]]
) {
  val layers: Layers = Layers.parse(kinds)

  private val repetitions: Array[Short] = repetition.orNull
  private val definitions: Array[Short] = definition.orNull

  /** The repetition level of a slot; 0 if the page has none. */
  def repetitionAt(slot: Int): Int = if (repetitions == null) 0 else repetitions(slot) & 0xffff
  def definitionAt(slot: Int): Int = if (definitions == null) 0 else definitions(slot) & 0xffff

  def isVisible(slot: Int): Boolean = definitionAt(slot) <= layers.maxVisible
  def startsRow(slot: Int): Boolean = repetitionAt(slot) == layers.maxRepetition

  /** Number of slots with a value. */
  val visible: Int = if (definition.isEmpty || repetition.isEmpty) length else visibleIn(0, length)

  def visibleIn(from: Int, until: Int): Int = {
    var count = 0
    var slot = from
    while (slot < until) { if (isVisible(slot)) count += 1; slot += 1 }
    count
  }

  val rows: Int = if (repetition.isEmpty) length else countRows

  private def countRows: Int = {
    var count = 0
    var slot = 0
    while (slot < length) { if (startsRow(slot)) count += 1; slot += 1 }
    count
  }

  /** Whether some slot has this definition level. */
  def contains(level: Int): Boolean = {
    var slot = 0
    while (slot < length && definitionAt(slot) != level) slot += 1
    slot < length
  }

  /** Nulls among the values: those whose definition level is not 0. */
  def valueNulls: NullMask = {
    val nulls = new NullMask
    if (definitions == null) nulls.appendValid(length)
    else {
      val seen = new Array[Short](length)
      var count = 0
      var slot = 0
      while (slot < length) {
        if (isVisible(slot)) { seen(count) = definitions(slot); count += 1 }
        slot += 1
      }
      nulls.appendLevels(seen, 0, count)
    }
    nulls
  }

  /** The slots `[from, until)`. */
  def slice(from: Int, until: Int): Slots = new Slots(
    kinds,
    until - from,
    repetition.map(Arrays.copyOfRange(_, from, until)),
    definition.map(Arrays.copyOfRange(_, from, until))
  )
}

private[sparklance] object Slots {

  /** Slots of a column without structs or lists around it. */
  def of(nulls: NullMask): Slots =
    if (!nulls.hasNulls) new Slots(Vector(RepDefLayer.REPDEF_ALL_VALID_ITEM), nulls.length, None, None)
    else {
      val levels = new Array[Short](nulls.length)
      var i = 0
      while (i < levels.length) { if (nulls.isNull(i)) levels(i) = 1; i += 1 }
      new Slots(Vector(RepDefLayer.REPDEF_NULLABLE_ITEM), levels.length, None, Some(levels))
    }

  /** Returns the levels `[from, until)` as values for a compressor. */
  def block(levels: Array[Short], from: Int, until: Int): Fixed16Block = {
    val block = new Fixed16Block
    val at = block.extend(until - from)
    System.arraycopy(levels, from, block.values, at, until - from)
    block
  }
}
