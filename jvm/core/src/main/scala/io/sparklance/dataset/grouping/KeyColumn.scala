package io.sparklance.dataset.grouping

import io.sparklance.data.{Column, VariableBlock}
import io.sparklance.dataset.predicate.NumberKeys
import io.sparklance.schema.{Leaf, LogicalType}

/** Numbers the different values of a key. Nulls have the number -1. */
sealed abstract private class KeyColumn(val leaf: Leaf) {

  /** Writes the numbers of the batch's values to `out`. */
  def number(batch: LeafBatch, out: Array[Int]): Unit

  /** Appends the value with a number, which is not -1. */
  protected def append(number: Int, to: Column): Unit

  /** Bytes of the values. */
  def sizeInBytes: Long

  /** Bytes of the longest value. */
  def longest: Int

  /** Forgets all values, and room for many more than `expected` ones. */
  def clear(expected: Int): Unit

  /** Appends the values with `numbers[0 until n]`. */
  final def append(numbers: Array[Int], n: Int, to: Column): Unit = {
    var i = 0
    while (i < n) {
      if (numbers(i) < 0) to.appendNulls(1)
      else {
        append(numbers(i), to)
        to.nulls.appendValid(1)
      }
      i += 1
    }
  }
}

private object KeyColumn {

  /** Returns None for types that are neither numbers of at most 64 bits nor byte strings. */
  def of(leaf: Leaf): Option[KeyColumn] = leaf.field.logicalType match {
    case LogicalType.Utf8(_) | LogicalType.Binary(_) => Some(new Bytes(leaf))
    case LogicalType.Dictionary(LogicalType.Utf8(_) | LogicalType.Binary(_), _) => Some(new Bytes(leaf))
    case _ => GroupAggregate.numbers(leaf).map(new Numbers(leaf, _))
  }

  final private class Numbers(leaf: Leaf, keys: NumberKeys) extends KeyColumn(leaf) {
    private val numbering = new LongNumbering

    def number(batch: LeafBatch, out: Array[Int]): Unit = {
      val values = batch.keys(leaf, keys)
      val nulls = batch.nulls(leaf)
      if (nulls == null) numbering.number(values, batch.rows, out)
      else numbering.numberValid(values, nulls, batch.rows, out)
    }
    protected def append(number: Int, to: Column): Unit = keys.append(numbering.value(number), to.values)
    def sizeInBytes: Long = 8L * numbering.size
    def longest: Int = 8
    def clear(expected: Int): Unit = numbering.clear(expected)
  }

  final private class Bytes(leaf: Leaf) extends KeyColumn(leaf) {
    private val numbering = new BytesNumbering

    def number(batch: LeafBatch, out: Array[Int]): Unit =
      numbering.number(batch.values(leaf).asInstanceOf[VariableBlock], batch.nulls(leaf), batch.rows, out)
    protected def append(number: Int, to: Column): Unit =
      numbering.append(number, to.values.asInstanceOf[VariableBlock])
    def sizeInBytes: Long = numbering.sizeInBytes
    def longest: Int = numbering.longest
    def clear(expected: Int): Unit = numbering.clear(expected)
  }
}
