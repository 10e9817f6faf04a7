package io.sparklance.testkit

import java.nio.{ByteBuffer, ByteOrder}
import java.util.HexFormat

import io.sparklance.data._

/** A column's values as text, whatever their type: what tests compare, and what `tests/golden` expects. */
object ColumnText {

  /** The first `rows` values: the hex of their little-endian bytes, `-` for a null, dots between a fixed-size
    * list's items; lists and structs in brackets and braces.
    */
  def of(column: Column, rows: Int): Vector[String] =
    Vector.tabulate(rows)(at(column, _))

  /** The value at `i`. */
  def at(column: Column, i: Int): String = if (column.nulls.isNull(i)) "-" else value(column.values, i)

  private def value(block: DataBlock, i: Int): String = block match {
    case b: Fixed8Block => hex(Array(b.values(i)))
    case b: Fixed16Block => hex(little(2).putShort(b.values(i)).array)
    case b: Fixed32Block => hex(little(4).putInt(b.values(i)).array)
    case b: Fixed64Block => hex(little(8).putLong(b.values(i)).array)
    case b: FixedBytesBlock => hex(b.bytes.slice(i * b.width, (i + 1) * b.width))
    case b: VariableBlock => hex(b.bytes.slice(b.offsets(i), b.offsets(i + 1)))
    case b: FixedSizeListBlock =>
      (i * b.dimension until (i + 1) * b.dimension)
        .map(item => if (b.itemNulls.isNull(item)) "-" else value(b.items, item))
        .mkString(".")
    case b: StructBlock => b.children.map(at(_, i)).mkString("{", ",", "}")
    case b: ListBlock => (b.offsets(i) until b.offsets(i + 1)).map(at(b.items, _)).mkString("[", ",", "]")
  }

  private def little(size: Int): ByteBuffer = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN)
  private def hex(bytes: Array[Byte]): String = HexFormat.of.formatHex(bytes)
}
