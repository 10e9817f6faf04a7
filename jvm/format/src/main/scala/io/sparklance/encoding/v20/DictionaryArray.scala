package io.sparklance.encoding.v20

import io.sparklance.data.{ByteRange, Column, DataBlock, Fixed8Block, NullMask, RowRange, Slice, ValueShape}
import io.sparklance.encoding.physical.DictionaryValues
import io.sparklance.encoding.{DictionaryNumbers, EncodedArray}
import io.sparklance.proto.encodings20.ArrayEncoding.{ArrayEncoding => Encoding}
import io.sparklance.proto.encodings20.{ArrayEncoding, Dictionary}

/** Positions in a dictionary that each page has for itself. Message `Dictionary`. Writers choose it for
  * strings with few distinct values, and for dictionary-typed columns; each kind has its own
  * [[DictionaryNumbers]].
  */
private[v20] object DictionaryArray {

  /** Encodes a page's dictionary of strings. */
  def encode(strings: DistinctStrings): EncodedArray = {
    val numbers = new Fixed8Block
    val _ = numbers.extend(strings.numbers.length)
    System.arraycopy(strings.numbers.array, strings.numbers.offset, numbers.values, 0, numbers.length)
    encode(BitpackedArray.encode(numbers, 8, _), numbers.length, strings.items.length)(
      BinaryArray.encode(strings.items, strings.itemNulls, codec = None, _)
    )
  }

  /** @param numbers
    *   positions of `bits` each
    * @param items
    *   makes the array of the items, given the number of its first buffer
    */
  def encode(numbers: Slice, bits: Int, count: Int)(items: Int => EncodedArray): EncodedArray =
    encode(FlatArray.encode(numbers, bits, _), numbers.length, count)(items)

  private def encode(numbers: Int => EncodedArray, length: Int, count: Int)(
      items: Int => EncodedArray
  ): EncodedArray = {
    val positions = NullableArray.encode(new NullMask, length, firstBuffer = 0)(numbers)
    val known = items(positions.buffers.size)
    val message = Dictionary(Some(positions.encoding), Some(known.encoding), count)
    EncodedArray(ArrayEncoding(Encoding.Dictionary(message)), positions.buffers ++ known.buffers)
  }

  /** @param numbers
    *   an array of words of `bits`
    * @param shape
    *   shape of the values
    * @param meaning
    *   numbering of the items
    */
  def plan(
      numbers: ArrayPlan,
      bits: Int,
      items: ArrayPlan.Loaded,
      shape: ValueShape,
      meaning: DictionaryNumbers
  ): ArrayPlan =
    new ArrayPlan {
      def initRanges: Vector[ByteRange] = items.initRanges ++ numbers.initRanges
      def buffer: ByteRange = numbers.buffer
      def reach(rows: RowRange): ByteRange = numbers.reach(rows)
      def open(init: Vector[Slice]): OpenArray = {
        val (forItems, forNumbers) = init.splitAt(items.initRanges.size)
        val known = Column.forShape(shape)
        meaning match {
          case DictionaryNumbers.FromOne => known.appendNulls(1)
          case DictionaryNumbers.FromZero => ()
        }
        items.load(forItems, known.values, known.nulls)
        new Numbered(numbers.open(forNumbers), ValueShape.FixedWidth(bits), known)
      }
    }

  /** @param known the value of each number */
  final private class Numbered(numbers: OpenArray, shape: ValueShape, known: Column) extends OpenArray {
    def bytes(rows: RowRange): ByteRange = numbers.bytes(rows)

    def decode(rows: RowRange, bytes: Slice, out: DataBlock, nulls: NullMask): Unit = {
      val positions = DataBlock.forShape(shape)
      val missing = new NullMask
      numbers.decode(rows, bytes, positions, missing)
      // If all are null there may be no items.
      if (missing.count == positions.length) {
        out.appendSlots(positions.length)
        nulls.appendNull(positions.length)
      } else gather(positions, missing, out, nulls)
    }

    private def gather(positions: DataBlock, missing: NullMask, out: DataBlock, nulls: NullMask): Unit = {
      if (missing.hasNulls) positions.zeroNulls(missing.orNull)
      DictionaryValues.gather(positions, 0, positions.length, known.values, out)
      DictionaryValues.appendNulls(positions, missing, known.nulls, nulls)
    }
  }
}
