package io.sparklance.encoding.v20

import io.sparklance.data.{ByteRange, DataBlock, NullMask, RowRange, Slice}
import io.sparklance.encoding.EncodedArray
import io.sparklance.encoding.physical.Flat
import io.sparklance.proto.encodings20.ArrayEncoding.{ArrayEncoding => Encoding}
import io.sparklance.proto.encodings20.Nullable.{AllNull, NoNull, Nullability, SomeNull}
import io.sparklance.proto.encodings20.{ArrayEncoding, Nullable}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Nullable values. Message `Nullable`:
  *
  * {{{
  * no_nulls     values
  * some_nulls   a bit for each value, lowest first, set if it is valid | values; any bytes for nulls
  * all_nulls    nothing is stored
  * }}}
  */
private[encoding] object NullableArray {

  /** @param values the array of all `length` values, given the number of its first buffer */
  def encode(nulls: NullMask, length: Int, firstBuffer: Int)(values: Int => EncodedArray): EncodedArray =
    if (nulls.count == 0) {
      val array = values(firstBuffer)
      nullable(Nullability.NoNulls(NoNull(Some(array.encoding))), array.buffers)
    } else if (nulls.count == length) nullable(Nullability.AllNulls(AllNull()), Vector.empty)
    else {
      val bitmap = new Array[Byte](Math.toIntExact(Flat.sizeOf(length.toLong, 1)))
      nulls.writeValidity(0, length, bitmap, 0)
      val validity = FlatArray.encode(Slice(bitmap), 1, firstBuffer)
      val array = values(firstBuffer + 1)
      nullable(
        Nullability.SomeNulls(SomeNull(Some(validity.encoding), Some(array.encoding))),
        validity.buffers ++ array.buffers
      )
    }

  private def nullable(nullability: Nullability, buffers: Vector[Slice]): EncodedArray =
    EncodedArray(ArrayEncoding(Encoding.Nullable(Nullable(nullability))), buffers)

  /** @param bitmap the whole bytes that hold the bits of `wanted` */
  def someNulls(bitmap: ByteRange, values: ArrayPlan, wanted: RowRange): ArrayPlan = new ArrayPlan {
    def initRanges: Vector[ByteRange] = bitmap +: values.initRanges
    def buffer: ByteRange = values.buffer
    def reach(rows: RowRange): ByteRange = values.reach(rows)
    def open(init: Vector[Slice]): OpenArray = {
      if (init.head.length != bitmap.length) throw new LanceFormatException("a bitmap was not read in full")
      new SomeNulls(init.head, wanted.start / 8 * 8, values.open(init.tail))
    }
  }

  /** @param origin the row of the first bit */
  final private class SomeNulls(bitmap: Slice, origin: Long, values: OpenArray) extends OpenArray {
    def bytes(rows: RowRange): ByteRange = values.bytes(rows)

    def decode(rows: RowRange, bytes: Slice, out: DataBlock, nulls: NullMask): Unit = {
      val inner = new NullMask
      values.decode(rows, bytes, out, inner)
      if (inner.hasNulls) throw new UnsupportedLanceFeatureException("an array with two sets of nulls")
      val bit = rows.start - origin
      nulls.appendValidity(
        bitmap.array,
        bitmap.offset + (bit / 8).toInt,
        (bit % 8).toInt,
        Math.toIntExact(rows.length)
      )
    }
  }

  val allNulls: ArrayPlan = new ArrayPlan with OpenArray {
    def initRanges: Vector[ByteRange] = Vector.empty
    def open(init: Vector[Slice]): OpenArray = this
    def buffer: ByteRange = ArrayPlan.NoBytes
    def reach(rows: RowRange): ByteRange = ArrayPlan.NoBytes
    def bytes(rows: RowRange): ByteRange = ArrayPlan.NoBytes
    def decode(rows: RowRange, bytes: Slice, out: DataBlock, nulls: NullMask): Unit = {
      val count = Math.toIntExact(rows.length)
      out.appendSlots(count)
      nulls.appendNull(count)
    }
  }
}
