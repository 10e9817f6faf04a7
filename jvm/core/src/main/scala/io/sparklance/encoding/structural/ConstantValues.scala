package io.sparklance.encoding.structural

import java.util.Arrays

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, ValueShape}
import io.sparklance.encoding.{Layers, Levels}

/** What stands at the slots of a constant page. */
sealed abstract private class ConstantValues {

  /** A value takes about as many bytes in memory. */
  def valueBytes: Long

  /** Whether such values go with these layers. */
  def check(layers: Layers): Unit

  /** Appends a value for each of `slots` slots that is visible, of which there are `visible`.
    *
    * @param at where the levels of the slots are, if the page stores any
    */
  def append(visible: Int, slots: Int, at: Option[Int], out: DataBlock, levels: Levels): Unit
}

final private class RepeatedValue(value: DataBlock) extends ConstantValues {
  def valueBytes: Long = value.sizeInBytes
  def check(layers: Layers): Unit = ()
  def append(visible: Int, slots: Int, at: Option[Int], out: DataBlock, levels: Levels): Unit =
    ConstantValue.repeat(value, visible, out)
}

/** Leaves that are all null. A page that stores no levels has these at all of its slots. */
final private class NullValues(shape: ValueShape) extends ConstantValues {
  val valueBytes: Long = ValueShape.minimumBytes(shape)

  def check(layers: Layers): Unit =
    if (layers.maxDefinition == 0) throw new LanceFormatException("a page of nulls whose layers have none")

  def append(visible: Int, slots: Int, at: Option[Int], out: DataBlock, levels: Levels): Unit = {
    out.appendSlots(visible)
    at match {
      case Some(from) =>
        if (!levels.hasDefinition || (from until from + slots).exists(levels.definition(_) == 0))
          throw new LanceFormatException("a valid row in a page of nulls")
      case None =>
        val from = levels.extend(slots)
        Arrays.fill(levels.definition, from, from + slots, 1.toShort)
        levels.hasDefinition = true
    }
  }
}
