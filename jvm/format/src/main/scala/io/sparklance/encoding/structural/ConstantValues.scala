package io.sparklance.encoding.structural

import java.util.Arrays

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, ValueShape}
import io.sparklance.encoding.{Layers, Levels}

/** Values of the slots of a constant page. */
sealed abstract private class ConstantValues {

  /** Approximate bytes of a value in memory. */
  def valueBytes: Long

  /** Fails if these layers do not allow such values. */
  def check(layers: Layers): Unit

  /** Appends a value for each of the `visible` slots among `slots`.
    *
    * @param at
    *   position of the slots' levels, if the page stores any
    */
  def append(visible: Int, slots: Int, at: Option[Int], out: DataBlock, levels: Levels): Unit
}

final private class RepeatedValue(value: DataBlock) extends ConstantValues {
  def valueBytes: Long = value.sizeInBytes
  def check(layers: Layers): Unit = ()
  def append(visible: Int, slots: Int, at: Option[Int], out: DataBlock, levels: Levels): Unit =
    ConstantValue.repeat(value, visible, out)
}

/** Null leaves. In a page without levels all slots are null. */
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
