package io.sparklance.encoding.v20

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, DataBlock, NullMask, RowRange, Slice, ValueShape}
import io.sparklance.encoding.EncodedArray
import io.sparklance.encoding.physical.{PackedRows, PackedStruct, StridedValues}
import io.sparklance.proto.encodings20.ArrayEncoding.{ArrayEncoding => Encoding}
import io.sparklance.proto.encodings20.Nullable.Nullability
import io.sparklance.proto.encodings20.{ArrayEncoding, Buffer, PackedStruct => PackedStructMessage}

/** Structs of fixed-width fields without nulls, stored as rows. Message `PackedStruct`.
  *
  * {{{
  * | field 0 | field 1 | .. | field 0 | field 1 | .. |      little-endian, no padding
  * }}}
  * The message describes each field; the buffers that it names for them are ignored.
  */
private[v20] object PackedStructArray {

  def plan(message: PackedStructMessage, buffers: PageBuffers, shape: ValueShape): ArrayPlan = {
    val fields = PackedStruct.fieldsOf(shape)
    val rows = new PackedRows(fields)
    if (
      message.inner.size != fields.size ||
      !message.inner.zip(fields).forall { case (m, f) => describes(m, f) }
    )
      throw new LanceFormatException(
        s"packed structs of fields encoded as ${message.inner.mkString(", ")} in $shape"
      )
    new Plan(buffers(message.buffer), rows)
  }

  /** @param fields one buffer of values for each field */
  def encode(fields: Vector[EncodedArray], count: Int): EncodedArray = {
    val columns = fields.map(_.buffers.head)
    val widths = columns.map(column => if (count == 0) 0 else column.length / count)
    val rows = new Array[Byte](columns.foldLeft(0)((sum, column) => Math.addExact(sum, column.length)))
    columns.zip(widths).zip(widths.scanLeft(0)(_ + _)).foreach { case ((column, width), from) =>
      StridedValues.writeBytes(column, width, count, rows, from, widths.sum)
    }
    val message = PackedStructMessage(fields.map(_.encoding), Some(Buffer(0)))
    EncodedArray(ArrayEncoding(Encoding.PackedStruct(message)), Vector(Slice(rows)))
  }

  private def describes(field: ArrayEncoding, shape: ValueShape): Boolean =
    (field.arrayEncoding, shape) match {
      case (Encoding.Nullable(nullable), _) =>
        nullable.nullability match {
          case Nullability.NoNulls(values) => describes(values.getValues, shape)
          case _: Nullability.SomeNulls | _: Nullability.AllNulls | Nullability.Empty => false
        }
      case (Encoding.Flat(flat), ValueShape.FixedWidth(bits)) =>
        flat.bitsPerValue == bits && flat.compression.isEmpty
      case (Encoding.FixedSizeList(list), ValueShape.FixedSizeList(dimension, items)) =>
        list.dimension == dimension && !list.hasValidity && describes(list.getItems, items)
      case _ => false
    }

  final private class Plan(val buffer: ByteRange, packed: PackedRows) extends ArrayPlan with OpenArray {
    def initRanges: Vector[ByteRange] = Vector.empty
    def open(init: Vector[Slice]): OpenArray = this
    def reach(rows: RowRange): ByteRange = bytes(rows)

    def bytes(rows: RowRange): ByteRange = {
      val from = Math.multiplyExact(rows.start, packed.bytesPerRow.toLong)
      val to = Math.multiplyExact(rows.end, packed.bytesPerRow.toLong)
      if (rows.start < 0 || from > to || to > buffer.length)
        throw new LanceFormatException(
          s"rows [${rows.start}, ${rows.end}) of ${packed.bytesPerRow} bytes are not in a buffer of ${buffer.length}"
        )
      buffer.slice(from, to - from)
    }

    def decode(rows: RowRange, bytes: Slice, out: DataBlock, nulls: NullMask): Unit = {
      val count = Math.toIntExact(rows.length)
      packed.append(bytes, count, out)
      nulls.appendValid(count)
    }
  }
}
