package io.sparklance.encoding.v20

import io.sparklance.data.{NullMask, Slice, VariableBlock}
import io.sparklance.encoding.physical.DictionaryEncoder

/** A page's distinct strings, and the number of each row's string.
  *
  * @param items
  *   in order of first occurrence; a null if there is none
  * @param numbers
  *   each row's string, counted from 1; 0 for a null
  */
final private[v20] class DistinctStrings private (
    val items: VariableBlock,
    val itemNulls: NullMask,
    val numbers: Slice
) {
  def encodedSize: Long = numbers.length + BinaryArray.encodedSize(items)
}

private[v20] object DistinctStrings {

  /** Largest number of items: positions are bytes, and 0 is reserved for nulls. */
  final private val MaxItems = 255

  /** Returns None if there are more distinct strings than a byte can number. */
  def find(strings: VariableBlock, nulls: NullMask): Option[DistinctStrings] = {
    val limits = DictionaryEncoder.Limits(MaxItems, Long.MaxValue)
    DictionaryEncoder.encode(valid(strings, nulls), limits).map { encoded =>
      val numbers = new Array[Byte](strings.length)
      var value = 0
      var row = 0
      while (row < numbers.length) {
        if (!nulls.isNull(row)) {
          numbers(row) = (encoded.positions.values(value) + 1).toByte
          value += 1
        }
        row += 1
      }
      val items = encoded.items.asInstanceOf[VariableBlock]
      val itemNulls = new NullMask
      if (items.length == 0) {
        items.appendSlots(1)
        itemNulls.appendNull(1)
      }
      new DistinctStrings(items, itemNulls, Slice(numbers))
    }
  }

  private def valid(strings: VariableBlock, nulls: NullMask): VariableBlock =
    if (!nulls.hasNulls) strings
    else {
      val kept = new VariableBlock
      var row = 0
      while (row < strings.length) {
        val start = strings.offsets(row)
        if (!nulls.isNull(row)) kept.append(strings.bytes, start, strings.offsets(row + 1) - start)
        row += 1
      }
      kept
    }
}
