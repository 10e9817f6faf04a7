package io.sparklance.encoding.physical

import io.sparklance.LanceFormatException
import io.sparklance.data.{LittleEndian, StructBlock, ValueShape, VariableBlock}
import io.sparklance.encoding.{FixedValues, PerValueDecompressor, PerValueStrings, ValueDecompressors}
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.VariablePackedStruct.FieldEncoding
import io.sparklance.proto.encodings.VariablePackedStruct.FieldEncoding.Layout
import io.sparklance.proto.encodings.{
  CompressiveEncoding,
  VariablePackedStruct => VariablePackedStructMessage
}

/** Packed structs with variable-width fields, one by one in a full-zip page. Message `VariablePackedStruct`.
  * Fields are never null themselves; a null struct has nothing but levels in the page.
  *
  * {{{
  * value   field after field:  of one width      the value
  *                             of varying width  u32 or u64 length | bytes
  * }}}
  * Each field's values are compressed one by one as the message says: strings by FSST, for example.
  */
private[sparklance] object VariablePackedStruct {

  /** @param decompressors of the fields' values */
  def perValue(
      message: VariablePackedStructMessage,
      shape: ValueShape,
      decompressors: ValueDecompressors
  ): PerValueDecompressor = {
    val shapes = PackedStruct.fieldsOf(shape)
    if (message.fields.size != shapes.size)
      throw new LanceFormatException(s"packed structs of ${message.fields.size} fields in a column of $shape")
    val fields = message.fields.zip(shapes).map { case (field, shape) =>
      slots(field, shape, decompressors)
    }.toArray
    (bytes, from, size, out) =>
      append(fields, bytes, from, from + size, PackedStruct.asStructs(out, fields.length))
  }

  /** Encodes all structs, one by one.
    *
    * @param count
    *   number of structs, and of values of each field
    */
  def encode(fields: Vector[PackedField], count: Int): PerValueStrings = {
    val rows = new VariableBlock
    rows.reserve(count, fields.foldLeft(0)((sum, field) => Math.addExact(sum, field.size(count))))
    val each = fields.toArray
    var row = 0
    while (row < count) {
      var at = rows.byteLength
      var i = 0
      while (i < each.length) { at = each(i).write(row, rows.bytes, at); i += 1 }
      rows.offsets(row + 1) = at
      rows.advance(1)
      row += 1
    }
    val message = VariablePackedStructMessage(fields.map(_.encoding))
    PerValueStrings(rows, CompressiveEncoding(Compression.VariablePackedStruct(message)))
  }

  private def slots(
      field: FieldEncoding,
      shape: ValueShape,
      decompressors: ValueDecompressors
  ): SlotValues = field.layout match {
    case Layout.BitsPerValue(bits) =>
      val values = decompressors.fixedValues(field.getValue, shape)
      if (bits != 8L * values.bytesPerValue)
        throw new LanceFormatException(s"a packed field of $bits bits for values of $shape")
      new FixedSlots(values)
    case Layout.BitsPerLength(bits @ (32 | 64)) =>
      new VariableSlots(bits.toInt / 8, decompressors.perValue(field.getValue, shape))
    case Layout.BitsPerLength(_) | Layout.Empty =>
      throw new LanceFormatException(s"a packed field laid out as ${field.layout}")
  }

  private def append(
      fields: Array[SlotValues],
      bytes: Array[Byte],
      from: Int,
      end: Int,
      out: StructBlock
  ): Unit = {
    var at = from
    var i = 0
    while (i < fields.length) {
      val child = out.children(i)
      at = fields(i).append(bytes, at, end, child.values)
      child.nulls.appendValid(1)
      i += 1
    }
    if (at != end)
      throw new LanceFormatException(s"a packed struct of ${end - from} bytes ends after ${at - from}")
    out.advance(1)
  }
}

/** The values of a field, to be stored struct by struct. */
sealed abstract private[encoding] class PackedField {
  def encoding: FieldEncoding

  /** Bytes of `count` values. */
  def size(count: Int): Int

  /** Writes the value of a struct to `at`. Returns its end. */
  def write(row: Int, out: Array[Byte], at: Int): Int
}

final private[encoding] class FixedPackedField(values: FixedValues) extends PackedField {
  private val width = values.bytesPerValue
  val encoding: FieldEncoding = FieldEncoding(Some(values.encoding)).withBitsPerValue(8L * width)

  def size(count: Int): Int = Math.multiplyExact(count, width)

  def write(row: Int, out: Array[Byte], at: Int): Int = {
    System.arraycopy(values.bytes.array, values.bytes.offset + row * width, out, at, width)
    at + width
  }
}

final private[encoding] class VariablePackedField(values: PerValueStrings, lengthBits: Int)
    extends PackedField {
  private val lengthBytes = lengthBits / 8
  private val strings = values.strings
  val encoding: FieldEncoding = FieldEncoding(Some(values.encoding)).withBitsPerLength(lengthBits.toLong)

  def size(count: Int): Int = Math.addExact(Math.multiplyExact(count, lengthBytes), strings.byteLength)

  def write(row: Int, out: Array[Byte], at: Int): Int = {
    val from = strings.offsets(row)
    val length = strings.offsets(row + 1) - from
    // The array is new, so that the upper half of a u64 is 0.
    LittleEndian.putInt(out, at, length)
    System.arraycopy(strings.bytes, from, out, at + lengthBytes, length)
    at + lengthBytes + length
  }
}
