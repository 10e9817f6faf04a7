package io.sparklance.spark.read

import java.util.Arrays

import org.apache.spark.sql.types.BinaryType

import io.sparklance.data.{
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  LittleEndian,
  NestedBlock,
  VariableBlock
}

/** Fixed-width byte strings; blocks hold widths of integers as integers. */
final private[sparklance] class FixedSizeBinaryVector extends LanceColumnVector(BinaryType) {
  private var block: DataBlock = _
  protected def look(values: DataBlock): Unit = block = values

  override def getBinary(row: Int): Array[Byte] =
    if (isNullAt(row)) null
    else
      block match {
        case b: FixedBytesBlock => Arrays.copyOfRange(b.bytes, row * b.width, (row + 1) * b.width)
        case b: Fixed8Block => Array(b.values(row))
        case b: Fixed16Block => Array(b.values(row).toByte, (b.values(row) >> 8).toByte)
        case b: Fixed32Block =>
          val out = new Array[Byte](4)
          LittleEndian.putInt(out, 0, b.values(row))
          out
        case b: Fixed64Block =>
          val out = new Array[Byte](8)
          LittleEndian.putLong(out, 0, b.values(row))
          out
        case _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock =>
          throw new IllegalStateException(s"fixed-size binary in a ${block.getClass}")
      }
}
