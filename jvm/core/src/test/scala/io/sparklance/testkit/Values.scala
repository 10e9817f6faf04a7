package io.sparklance.testkit

import java.nio.charset.StandardCharsets.UTF_8

import io.sparklance.data._

/** Blocks from plain values, and back. */
object Values {
  def ofStrings(values: Iterable[String]): VariableBlock = {
    val block = new VariableBlock
    values.foreach { value =>
      val bytes = value.getBytes(UTF_8)
      block.append(bytes, 0, bytes.length)
    }
    block
  }

  def ofInts(values: Iterable[Int]): Fixed32Block = {
    val block = new Fixed32Block
    values.foreach(block.append)
    block
  }

  def append(block: DataBlock, value: Int): Unit = block match {
    case b: Fixed8Block => b.append(value.toByte)
    case b: Fixed32Block => b.append(value)
    case other => throw new AssertionError(s"an int in a ${other.getClass}")
  }

  def strings(block: DataBlock): Vector[String] = block match {
    case b: VariableBlock =>
      Vector.tabulate(b.length)(i =>
        new String(b.bytes, b.offsets(i), b.offsets(i + 1) - b.offsets(i), UTF_8)
      )
    case other => throw new AssertionError(s"strings of a ${other.getClass}")
  }

  def ints(block: DataBlock): Vector[Int] = block match {
    case b: Fixed32Block => b.values.take(b.length).toVector
    case b: Fixed8Block => b.values.take(b.length).toVector.map(_.toInt)
    case other => throw new AssertionError(s"ints of a ${other.getClass}")
  }

  def floats(block: DataBlock): Vector[Float] = ints(block).map(java.lang.Float.intBitsToFloat)

  def list(block: DataBlock): FixedSizeListBlock = block match {
    case b: FixedSizeListBlock => b
    case other => throw new AssertionError(s"lists of a ${other.getClass}")
  }

  /** The items of all lists, None for nulls. */
  def items[A](block: DataBlock)(leaves: DataBlock => Vector[A]): Vector[Option[A]] = {
    val lists = list(block)
    leaves(lists.items).zipWithIndex.map { case (value, i) => Option.when(!lists.itemNulls.isNull(i))(value) }
  }
}
