package io.sparklance.encoding.physical

import io.sparklance.LanceFormatException
import io.sparklance.data.{StructBlock, ValueShape}
import io.sparklance.encoding.{Decompressors, PerValueDecompressor}
import io.sparklance.proto.encodings.VariablePackedStruct.FieldEncoding
import io.sparklance.proto.encodings.VariablePackedStruct.FieldEncoding.Layout
import io.sparklance.proto.encodings.{VariablePackedStruct => VariablePackedStructMessage}

/** Structs of which some fields vary in width, each struct for itself in a full-zip page. Message `VariablePackedStruct`.
  * Fields are never null themselves; of structs that are, the page holds nothing but levels.
  *
  * {{{
  * value   field after field:  of one width      the value
  *                             of varying width  u32 or u64 length | bytes
  * }}}
  * Each field's values are compressed one by one as the message says: strings by FSST, for example.
  */
object VariablePackedStruct {

  def perValue(message: VariablePackedStructMessage, shape: ValueShape): PerValueDecompressor = {
    val shapes = PackedStruct.fieldsOf(shape)
    if (message.fields.size != shapes.size)
      throw new LanceFormatException(s"packed structs of ${message.fields.size} fields in a column of $shape")
    val fields = message.fields.zip(shapes).map { case (field, shape) => slots(field, shape) }.toArray
    (bytes, from, size, out) =>
      append(fields, bytes, from, from + size, PackedStruct.asStructs(out, fields.length))
  }

  private def slots(field: FieldEncoding, shape: ValueShape): SlotValues = field.layout match {
    case Layout.BitsPerValue(bits) =>
      val values = Decompressors.fixedValues(field.getValue, shape)
      if (bits != 8L * values.bytesPerValue)
        throw new LanceFormatException(s"a packed field of $bits bits for values of $shape")
      new FixedSlots(values)
    case Layout.BitsPerLength(bits @ (32 | 64)) =>
      new VariableSlots(bits.toInt / 8, Decompressors.perValue(field.getValue, shape))
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
