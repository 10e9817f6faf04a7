package io.sparklance.encoding.compression

import io.sparklance.data.{Column, DataBlock, FileVersion, StructBlock, ValueShape, VariableBlock}
import io.sparklance.encoding.physical.{
  FixedPackedField,
  FixedSizeListValues,
  Flat,
  PackedField,
  PackedStruct,
  VariablePackedField,
  VariablePackedStruct
}
import io.sparklance.encoding.{EncodingHints, PerValueStrings}
import io.sparklance.schema.Field

/** The writer's layout of packed structs: fixed-width rows if possible, otherwise struct by struct. */
private[encoding] object PackedStructStrategy {

  /** Two structs must fit into a chunk of 2.1. */
  final private val MaxRowBytes = 4096

  /** Whether a mini-block page can hold these structs; in 2.1 no other page can. */
  def isMiniBlock(shape: ValueShape): Boolean =
    PackedStruct.holds(shape) && ValueShape.minimumBytes(shape) <= MaxRowBytes

  /** Encodes struct by struct. Field metadata, or the strings themselves, decide how strings are compressed.
    */
  def perValue(structs: DataBlock, shape: ValueShape, field: Field, version: FileVersion): PerValueStrings =
    (structs, shape) match {
      case (block: StructBlock, ValueShape.Struct(shapes)) =>
        val fields = field.children.lazyZip(shapes).lazyZip(block.children).map(packed(_, _, _, version))
        VariablePackedStruct.encode(fields, block.length)
      case _ => throw new IllegalArgumentException(s"packed structs of $shape in a ${structs.getClass}")
    }

  private def packed(field: Field, shape: ValueShape, column: Column, version: FileVersion): PackedField =
    (shape, column.values) match {
      case (ValueShape.FixedWidth(bits), values) => new FixedPackedField(Flat.toFixedValues(values, bits))
      case (list: ValueShape.FixedSizeList, values) =>
        new FixedPackedField(FixedSizeListValues.toFixedValues(values, list))
      case (ValueShape.VariableWidth(bits), strings: VariableBlock) =>
        val subject = CompressionStrategy.Subject(strings, shape, EncodingHints.of(field, field), version)
        val compressor = CompressionStrategy.perValue(subject, strings, bits)
        new VariablePackedField(compressor.compress(strings), bits)
      case (ValueShape.Struct(_), structs) =>
        new VariablePackedField(perValue(structs, shape, field, version), lengthBits = 32)
      case (_, other) => throw new IllegalArgumentException(s"packed values of $shape in a ${other.getClass}")
    }
}
