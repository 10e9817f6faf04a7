package io.sparklance.encoding.v20

import java.util.Arrays

import io.sparklance.data.{NullMask, Slice, VariableBlock}

/** The different strings of a page, and which of them each row has.
  *
  * @param items in the order of their first rows; a null if no row has one
  * @param numbers for each row, that of its string, counted from 1; 0 where it is null
  */
final private[v20] class DistinctStrings private (
    val items: VariableBlock,
    val itemNulls: NullMask,
    val numbers: Slice
) {
  def encodedSize: Long = numbers.length + BinaryArray.encodedSize(items)
}

private[v20] object DistinctStrings {

  /** Of the numbers that a byte can hold, 0 is the nulls'. */
  final private val MaxItems = 255

  /** Places for items by their hash: a power of two, four times as many as there are items. */
  final private val Places = 1024

  /** None if there are more different strings than a byte can number. */
  def find(strings: VariableBlock, nulls: NullMask): Option[DistinctStrings] = {
    val items = new VariableBlock
    val places = new Array[Int](Places)
    val numbers = new Array[Byte](strings.length)
    var row = 0
    while (row < strings.length && items.length <= MaxItems) {
      if (!nulls.isNull(row)) numbers(row) = numberOf(strings, row, items, places).toByte
      row += 1
    }
    if (items.length > MaxItems) None
    else {
      val itemNulls = new NullMask
      if (items.length == 0) {
        items.appendSlots(1)
        itemNulls.appendNull(1)
      }
      Some(new DistinctStrings(items, itemNulls, Slice(numbers)))
    }
  }

  /** Looks the string up, and makes it an item if it is none yet. */
  private def numberOf(strings: VariableBlock, row: Int, items: VariableBlock, places: Array[Int]): Int = {
    val from = strings.offsets(row)
    val until = strings.offsets(row + 1)
    var place = hash(strings.bytes, from, until) & Places - 1
    while (places(place) != 0 && !isItem(strings.bytes, from, until, items, places(place) - 1))
      place = place + 1 & Places - 1
    if (places(place) == 0) {
      items.append(strings.bytes, from, until - from)
      places(place) = items.length
    }
    places(place)
  }

  private def isItem(bytes: Array[Byte], from: Int, until: Int, items: VariableBlock, item: Int): Boolean =
    Arrays.equals(bytes, from, until, items.bytes, items.offsets(item), items.offsets(item + 1))

  private def hash(bytes: Array[Byte], from: Int, until: Int): Int = {
    var h = 0
    var i = from
    while (i < until) { h = 31 * h + bytes(i); i += 1 }
    h ^ h >>> 15
  }
}
