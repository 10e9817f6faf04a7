package io.sparklance.encoding.compression

import java.nio.ByteBuffer

import scala.collection.mutable

import io.sparklance.LanceUsageException
import io.sparklance.data.{
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  NestedBlock,
  VariableBlock
}

/** Distinct values of a file's dictionary-typed columns. Each page has a dictionary of its own, but readers
  * join those of neighbouring pages, and fail if the column's index type cannot number all values.
  */
final private[sparklance] class FileDictionaries {
  private val seen = mutable.HashMap.empty[String, mutable.HashSet[Any]]

  /** Counts the items of a page. Fails if the column has more items than an index of `bits` can number.
    *
    * @param column
    *   its name
    * @param nulls
    *   how many numbers are reserved for nulls
    */
  private[encoding] def add(
      column: String,
      items: DataBlock,
      nulls: Int,
      index: FileDictionaries.Index
  ): Unit =
    if (index.capacity <= FileDictionaries.MostCounted) {
      val values = seen.getOrElseUpdate(column, mutable.HashSet.empty)
      if (nulls > 0) { val _ = values.add(None) }
      (0 until items.length).foreach(i => values.add(FileDictionaries.value(items, i)))
      if (values.size > index.capacity) FileDictionaries.refuse(column, index)
    }
}

private[sparklance] object FileDictionaries {

  /** The type of positions. */
  final private[encoding] case class Index(bits: Int, signed: Boolean) {
    def capacity: Long = if (bits == 64) Long.MaxValue else 1L << (if (signed) bits - 1 else bits)
  }

  /** An index of 32 bits or more numbers all values that a file can have. */
  final private val MostCounted = 1L << 16

  private[encoding] def refuse(column: String, index: Index): Nothing = throw new LanceUsageException(
    s"Column '$column' is a dictionary whose index, of ${index.bits} bits, can distinguish " +
      s"${index.capacity} values (in files of version 2.0, NULL is one), but the rows of a file to be " +
      "written have more. Write fewer rows to a file (option maxRowsPerFile; of a compaction " +
      "target_rows_per_fragment), or to a table whose column has a wider index, or plain values."
  )

  private def value(items: DataBlock, i: Int): Any = items match {
    case block: Fixed8Block => block.values(i)
    case block: Fixed16Block => block.values(i)
    case block: Fixed32Block => block.values(i)
    case block: Fixed64Block => block.values(i)
    case block: FixedBytesBlock =>
      ByteBuffer.wrap(block.bytes.slice(i * block.width, (i + 1) * block.width))
    case block: VariableBlock => ByteBuffer.wrap(block.bytes.slice(block.offsets(i), block.offsets(i + 1)))
    case _: FixedSizeListBlock | _: NestedBlock =>
      throw new IllegalArgumentException(s"a dictionary of a ${items.getClass}")
  }
}
