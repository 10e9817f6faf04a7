package io.sparklance.encoding.compression

import io.sparklance.data.{
  BlockRange,
  Column,
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  NestedBlock,
  NullMask,
  Slice,
  ValueShape,
  VariableBlock
}
import io.sparklance.encoding.physical.{DictionaryEncoder, Flat}
import io.sparklance.schema.LogicalType

/** A page of a dictionary-typed column: its distinct values, and each row's position among them in words of
  * the type's width. Readers build a dictionary from the page as it is.
  *
  * @param positions
  *   0 where a row is null
  */
final private[encoding] case class TypedDictionary(positions: DataBlock, bits: Int, items: DataBlock) {

  /** Returns the positions as bytes; a null has the position after the last item. */
  def numbers(nulls: NullMask): Slice = {
    if (nulls.hasNulls) {
      val behind = items.length.toLong
      (0 until nulls.length).filter(nulls.isNull).foreach(TypedDictionary.put(positions, _, behind))
    }
    Flat.bytes(positions, bits, 0, positions.length)
  }
}

private[encoding] object TypedDictionary {

  /** @param name
    *   of the column
    * @param nulls
    *   how many numbers are reserved for nulls: one in files of 2.0
    */
  def of(
      column: Column,
      index: LogicalType,
      name: String,
      file: FileDictionaries,
      nulls: Int
  ): TypedDictionary = {
    val words = index match {
      case LogicalType.Integer(bits, signed) => FileDictionaries.Index(bits, signed)
      case other => throw new IllegalArgumentException(s"a dictionary with an index of $other")
    }
    val valid = validValues(column)
    val limits =
      DictionaryEncoder.Limits(math.min(words.capacity - nulls, valid.length.toLong).toInt, Long.MaxValue)
    val encoded =
      DictionaryEncoder.encode(widened(valid), limits).getOrElse(FileDictionaries.refuse(name, words))
    val items = narrowed(encoded.items, valid)
    file.add(name, items, nulls, words)
    TypedDictionary(spread(encoded.positions, column, words.bits), words.bits, items)
  }

  private def validValues(column: Column): DataBlock =
    if (!column.nulls.hasNulls) column.values
    else {
      val kept = (0 until column.length).filterNot(column.nulls.isNull).toArray
      val values = BlockRange.copy(column.values, 0, column.length)
      values.retain(kept, kept.length, column.length)
      values
    }

  /** Spreads the positions of valid rows over all rows. */
  private def spread(positions: Fixed32Block, column: Column, bits: Int): DataBlock = {
    val words = DataBlock.forShape(ValueShape.FixedWidth(bits))
    var value = 0
    var row = 0
    words.appendSlots(column.length)
    while (row < column.length) {
      val isNull = column.nulls.isNull(row)
      put(words, row, if (isNull) 0 else positions.values(value).toLong)
      if (!isNull) value += 1
      row += 1
    }
    words
  }

  /** Widens words to a width that can be hashed; leaves other values unchanged. */
  private def widened(values: DataBlock): DataBlock = values match {
    case block: Fixed8Block => longs(block.length, block.values(_).toLong)
    case block: Fixed16Block => longs(block.length, block.values(_).toLong)
    case block: Fixed32Block => longs(block.length, block.values(_).toLong)
    case _: Fixed64Block | _: FixedBytesBlock | _: VariableBlock => values
    case _: FixedSizeListBlock | _: NestedBlock =>
      throw new IllegalArgumentException(s"a dictionary of a ${values.getClass}")
  }

  private def longs(count: Int, value: Int => Long): Fixed64Block = {
    val words = new Fixed64Block
    val _ = words.extend(count)
    var i = 0
    while (i < count) { words.values(i) = value(i); i += 1 }
    words
  }

  /** Narrows words to the width of `like`. */
  private def narrowed(items: DataBlock, like: DataBlock): DataBlock = (items, like) match {
    case (words: Fixed64Block, _: Fixed8Block) => narrowed(words, new Fixed8Block)
    case (words: Fixed64Block, _: Fixed16Block) => narrowed(words, new Fixed16Block)
    case (words: Fixed64Block, _: Fixed32Block) => narrowed(words, new Fixed32Block)
    case _ => items
  }

  private def narrowed(words: Fixed64Block, out: DataBlock): DataBlock = {
    out.appendSlots(words.length)
    var i = 0
    while (i < words.length) { put(out, i, words.values(i)); i += 1 }
    out
  }

  private def put(out: DataBlock, at: Int, word: Long): Unit = out match {
    case block: Fixed8Block => block.values(at) = word.toByte
    case block: Fixed16Block => block.values(at) = word.toShort
    case block: Fixed32Block => block.values(at) = word.toInt
    case block: Fixed64Block => block.values(at) = word
    case _: FixedBytesBlock | _: VariableBlock | _: FixedSizeListBlock | _: NestedBlock =>
      throw new IllegalArgumentException(s"words in a ${out.getClass}")
  }
}
