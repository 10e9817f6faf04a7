package io.sparklance.encoding.v20

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, DataBlock, FixedSizeListBlock, NullMask, RowRange, Slice}
import io.sparklance.encoding.EncodedArray
import io.sparklance.proto.encodings20.ArrayEncoding.{ArrayEncoding => Encoding}
import io.sparklance.proto.encodings20.{ArrayEncoding, FixedSizeList}

/** Fixed-size lists, stored as an array of their items. Message `FixedSizeList`. A `Nullable` around it holds
  * the nulls among the lists, one inside the nulls among the items.
  */
private[encoding] object FixedSizeListArray {

  /** @param items an array of `dimension` rows for each list */
  def plan(dimension: Int, items: ArrayPlan): ArrayPlan = new ArrayPlan {
    def initRanges: Vector[ByteRange] = items.initRanges
    def buffer: ByteRange = items.buffer
    def reach(rows: RowRange): ByteRange = items.reach(itemsOf(rows, dimension))
    def open(init: Vector[Slice]): OpenArray = new Lists(dimension, items.open(init))
  }

  def encode(dimension: Int, items: EncodedArray): EncodedArray =
    items.copy(encoding =
      ArrayEncoding(Encoding.FixedSizeList(FixedSizeList(dimension, items = Some(items.encoding))))
    )

  /** Returns the items of the lists `rows`. */
  def itemsOf(rows: RowRange, dimension: Int): RowRange =
    RowRange(
      Math.multiplyExact(rows.start, dimension.toLong),
      Math.multiplyExact(rows.end, dimension.toLong)
    )

  final private class Lists(dimension: Int, items: OpenArray) extends OpenArray {
    def bytes(rows: RowRange): ByteRange = items.bytes(itemsOf(rows, dimension))

    def decode(rows: RowRange, bytes: Slice, out: DataBlock, nulls: NullMask): Unit = out match {
      case lists: FixedSizeListBlock if lists.dimension == dimension =>
        val count = Math.toIntExact(rows.length)
        items.decode(itemsOf(rows, dimension), bytes, lists.items, lists.itemNulls)
        lists.advance(count)
        nulls.appendValid(count)
      case other =>
        throw new LanceFormatException(s"lists of $dimension items in a ${other.getClass.getSimpleName}")
    }
  }
}
