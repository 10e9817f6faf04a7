package io.sparklance.encoding.v20

import io.sparklance.data.{
  Column,
  DataBlock,
  FixedSizeListBlock,
  NullMask,
  StructBlock,
  ValueShape,
  VariableBlock
}
import io.sparklance.encoding.compression.{FileDictionaries, TypedDictionary}
import io.sparklance.encoding.physical.{BlockCodec, Flat, PackedStruct}
import io.sparklance.encoding.{EncodedArray, EncodingHints}
import io.sparklance.schema.{Field, LogicalType}

/** The writer's choice of encodings for the values of a column: such as the first readers of this version
  * knew, of which any row can be read alone unless the user asks for a compression.
  */
private[encoding] object ArrayStrategy {

  /** @param column
    *   the values, with zeroes and empty strings below nulls
    * @param field
    *   the field, whose metadata may ask for a compression
    * @param path
    *   the field's path from the top-level field
    */
  def encode(
      column: Column,
      shape: ValueShape,
      field: Field,
      path: String,
      dictionaries: FileDictionaries
  ): EncodedArray =
    (field.logicalType, column.values) match {
      case (LogicalType.Dictionary(_, index), _) =>
        typedDictionary(column, shape, index, path, dictionaries)
      case (_, strings: VariableBlock) => this.strings(strings, column.nulls, field)
      case (_, structs: StructBlock) => packedStructs(structs, shape)
      case (_, values) =>
        NullableArray.encode(column.nulls, values.length, firstBuffer = 0) {
          scalars(values, shape, EncodingHints.of(field, field), _)
        }
    }

  /** Encodes a dictionary-typed column. A null is an item, the last. */
  private def typedDictionary(
      column: Column,
      shape: ValueShape,
      index: LogicalType,
      path: String,
      dictionaries: FileDictionaries
  ): EncodedArray = {
    val hasNulls = column.nulls.hasNulls
    val dictionary = TypedDictionary.of(column, index, path, dictionaries, nulls = if (hasNulls) 1 else 0)
    val numbers = dictionary.numbers(column.nulls)
    val items = new Column(dictionary.items)
    items.nulls.appendValid(items.length)
    if (hasNulls) items.appendNulls(1)
    if (hasNulls) items.values.zeroNulls(items.nulls.orNull)
    DictionaryArray.encode(numbers, dictionary.bits, items.length) { next =>
      items.values match {
        case strings: VariableBlock => BinaryArray.encode(strings, items.nulls, codec = None, next)
        case values => fixed(values, items.nulls, shape, next)
      }
    }
  }

  /** Encodes strings, as a dictionary if that is smaller. Its positions are bytes; only for this type do
    * readers expect strings in a dictionary.
    */
  private def strings(strings: VariableBlock, nulls: NullMask, field: Field): EncodedArray =
    Option
      .when(field.logicalType == LogicalType.Utf8(large = false))(strings)
      .flatMap(DistinctStrings.find(_, nulls))
      .filter(_.encodedSize < BinaryArray.encodedSize(strings))
      .map(DictionaryArray.encode)
      .getOrElse(BinaryArray.encode(strings, nulls, compression(field), firstBuffer = 0))

  private def compression(field: Field): Option[BlockCodec] =
    EncodingHints.of(field, field).general.map(codec => BlockCodec.of(Some(codec)))

  private def packedStructs(structs: StructBlock, shape: ValueShape): EncodedArray = {
    val fields = structs.children.zip(PackedStruct.fieldsOf(shape)).map { case (child, of) =>
      fixed(child.values, new NullMask, of, firstBuffer = 0)
    }
    PackedStructArray.encode(fields, structs.length)
  }

  /** Encodes the values of a column, with zeroes below nulls. */
  private def scalars(
      values: DataBlock,
      shape: ValueShape,
      hints: EncodingHints,
      firstBuffer: Int
  ): EncodedArray = {
    val others = shape match {
      case ValueShape.FixedWidth(bits @ (8 | 16 | 32 | 64)) if !hints.asTheyAre =>
        BitpackedArray.encode(values, bits, firstBuffer) +: compressed(values, bits, hints, firstBuffer)
      case ValueShape.FixedWidth(bits) if bits > 1 => compressed(values, bits, hints, firstBuffer)
      case ValueShape.FixedWidth(_) | ValueShape.FixedSizeList(_, _) | ValueShape.VariableWidth(_) |
          ValueShape.Struct(_) =>
        Vector.empty
    }
    (plain(values, shape, firstBuffer) +: others).minBy(_.buffers.map(_.length.toLong).sum)
  }

  /** Compresses all values together, if the user asks for it. No reader expects compressed bits. */
  private def compressed(
      values: DataBlock,
      bits: Int,
      hints: EncodingHints,
      firstBuffer: Int
  ): Vector[EncodedArray] =
    hints.general.map { codec =>
      val bytes = Flat.bytes(values, bits, 0, values.length)
      FlatArray.encode(bytes, bits, firstBuffer, BlockCodec.of(Some(codec)))
    }.toVector

  private def fixed(values: DataBlock, nulls: NullMask, shape: ValueShape, firstBuffer: Int): EncodedArray =
    NullableArray.encode(nulls, values.length, firstBuffer)(plain(values, shape, _))

  private def plain(values: DataBlock, shape: ValueShape, firstBuffer: Int): EncodedArray =
    (shape, values) match {
      case (ValueShape.FixedWidth(bits), _) =>
        FlatArray.encode(Flat.bytes(values, bits, 0, values.length), bits, firstBuffer)
      case (ValueShape.FixedSizeList(dimension, items), lists: FixedSizeListBlock) =>
        FixedSizeListArray.encode(dimension, fixed(lists.items, lists.itemNulls, items, firstBuffer))
      case (
            ValueShape.FixedSizeList(_, _) | ValueShape.VariableWidth(_) | ValueShape.Struct(_),
            _
          ) =>
        throw new IllegalArgumentException(s"values of $shape are no part of a 2.0 page")
    }
}
