package io.sparklance.encoding.compression

import io.sparklance.data.ValueShape
import io.sparklance.encoding.physical.{
  ByteStreamSplit,
  FixedSizeListValues,
  Flat,
  Fsst,
  General,
  InlineBitpacking,
  OutOfLineBitpacking,
  PackedStruct,
  Rle,
  Variable,
  VariablePackedStruct,
  Widths
}
import io.sparklance.encoding.{
  BlockDecompressor,
  FixedValuesDecompressor,
  MiniBlockDecompressor,
  PerValueDecompressor,
  ValueDecompressors
}
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.{CompressiveEncoding, Fsst => FsstMessage, Variable => VariableMessage}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Maps the message of a compression to its decoder. A compression that is added to the format does not
  * compile until it has its cases here.
  *
  * Message and column type both give the width of a value; a file in which they differ is corrupt.
  */
private[sparklance] object Decompressors extends ValueDecompressors {

  /** Returns the decoder of values in mini-block chunks. */
  def miniBlock(encoding: CompressiveEncoding, shape: ValueShape): MiniBlockDecompressor =
    encoding.compression match {
      case _: Compression.Flat => MiniBlockDecompressor.ofOneBuffer(block(encoding, shape))
      case _: Compression.InlineBitpacking => MiniBlockDecompressor.ofOneBuffer(block(encoding, shape))
      case Compression.Rle(rle) => Rle.miniBlock(rle, shape)
      case Compression.ByteStreamSplit(split) =>
        MiniBlockDecompressor.ofOneBuffer(ByteStreamSplit.decompressor(split, shape))
      case Compression.Variable(variable) => Variable.miniBlock(offsetBits(variable, shape))
      case Compression.Fsst(fsst) =>
        Fsst.miniBlock(fsst.symbolTable.toByteArray, offsetBits(shortened(fsst), shape))
      case Compression.General(general) =>
        General.miniBlock(general.compression, miniBlock(general.getValues, shape), shape)
      case Compression.FixedSizeList(list) => FixedSizeListValues.miniBlock(list, shape)
      case Compression.PackedStruct(struct) => PackedStruct.miniBlock(struct, shape)
      case _: Compression.Constant => unsupported("constant compression of values")
      case _: Compression.OutOfLineBitpacking => unsupported("out-of-line bit-packing of values")
      case _: Compression.Dictionary => unsupported("dictionary compression of values")
      case _: Compression.VariablePackedStruct => unsupported("variable packed structs in mini-blocks")
      case Compression.Empty => unknown()
    }

  /** Returns the decoder of levels and dictionaries. */
  def block(encoding: CompressiveEncoding, shape: ValueShape): BlockDecompressor =
    encoding.compression match {
      case Compression.Flat(flat) => Flat.decompressor(flat, shape)
      case Compression.InlineBitpacking(packed) => InlineBitpacking.decompressor(packed, shape)
      case Compression.OutOfLineBitpacking(packed) => OutOfLineBitpacking.decompressor(packed, shape)
      case Compression.Rle(rle) => Rle.block(rle, shape)
      case Compression.Variable(variable) => Variable.block(offsetBits(variable, shape))
      case Compression.General(general) =>
        General.block(general.compression, block(general.getValues, shape), shape)
      case _: Compression.ByteStreamSplit => unsupported("byte stream split of levels and dictionaries")
      case _: Compression.Fsst => unsupported("FSST compression of dictionaries")
      case _: Compression.FixedSizeList => unsupported("dictionaries of fixed-size lists")
      case _: Compression.PackedStruct => unsupported("dictionaries of packed structs")
      case _: Compression.Constant => unsupported("constant compression of levels and dictionaries")
      case _: Compression.Dictionary => unsupported("dictionary compression of levels and dictionaries")
      case _: Compression.VariablePackedStruct => unsupported("dictionaries of variable packed structs")
      case Compression.Empty => unknown()
    }

  /** Returns the decoder of fixed-width values in full-zip pages. */
  def fixedValues(encoding: CompressiveEncoding, shape: ValueShape): FixedValuesDecompressor =
    encoding.compression match {
      case Compression.Flat(flat) => Flat.fixedValues(flat, shape)
      case Compression.FixedSizeList(list) => FixedSizeListValues.fixedValues(list, shape)
      case _: Compression.PackedStruct => unsupported("packed structs of one width in full-zip pages")
      case _: Compression.Constant => unsupported("constant compression of full-zip values")
      case _: Compression.ByteStreamSplit => unsupported("byte stream split of full-zip values")
      case _: Compression.InlineBitpacking => unsupported("inline bit-packing of full-zip values")
      case _: Compression.OutOfLineBitpacking => unsupported("out-of-line bit-packing of full-zip values")
      case _: Compression.Rle => unsupported("run-length encoding of full-zip values")
      case _: Compression.Dictionary => unsupported("dictionary compression of full-zip values")
      case _: Compression.General => unsupported("general compression of full-zip values of one width")
      case _: Compression.Variable | _: Compression.Fsst | _: Compression.VariablePackedStruct =>
        throw new LanceFormatException(
          "a full-zip page of values of one width has an encoding for varying ones"
        )
      case Compression.Empty => unknown()
    }

  /** Returns the decoder of byte strings in full-zip pages. */
  def perValue(encoding: CompressiveEncoding, shape: ValueShape): PerValueDecompressor =
    encoding.compression match {
      case Compression.Variable(variable) => offsetBits(variable, shape); Variable.perValue
      case Compression.Fsst(fsst) =>
        offsetBits(shortened(fsst), shape)
        Fsst.perValue(fsst.symbolTable.toByteArray)
      case Compression.General(general) =>
        general.getValues.compression match {
          case Compression.Variable(variable) =>
            offsetBits(variable, shape); General.perValue(general.compression)
          case values => unsupported(s"general compression of full-zip values encoded as $values")
        }
      case Compression.VariablePackedStruct(struct) => VariablePackedStruct.perValue(struct, shape, this)
      case _: Compression.Flat | _: Compression.Constant | _: Compression.OutOfLineBitpacking |
          _: Compression.InlineBitpacking | _: Compression.Dictionary | _: Compression.Rle |
          _: Compression.ByteStreamSplit | _: Compression.FixedSizeList | _: Compression.PackedStruct =>
        throw new LanceFormatException(
          "a full-zip page of byte strings has an encoding for values of one width"
        )
      case Compression.Empty => unknown()
    }

  /** Returns the width of the words of `encoding`, where no column type gives it: dictionary positions. */
  def wordBits(encoding: CompressiveEncoding): Int = encoding.compression match {
    case Compression.Flat(flat) => Widths.word(flat.bitsPerValue)
    case Compression.InlineBitpacking(packed) => Widths.word(packed.uncompressedBitsPerValue)
    case Compression.OutOfLineBitpacking(packed) => Widths.word(packed.uncompressedBitsPerValue)
    case Compression.Rle(rle) => wordBits(rle.getValues)
    case Compression.ByteStreamSplit(split) => wordBits(split.getValues)
    case Compression.General(general) => wordBits(general.getValues)
    case _: Compression.Variable | _: Compression.Fsst | _: Compression.FixedSizeList |
        _: Compression.PackedStruct | _: Compression.VariablePackedStruct | _: Compression.Constant |
        _: Compression.Dictionary =>
      throw new LanceFormatException(s"words encoded as $encoding")
    case Compression.Empty => unknown()
  }

  /** Returns the width of string offsets, which must agree with the column's type. */
  private def offsetBits(variable: VariableMessage, shape: ValueShape): Int = {
    if (variable.values.isDefined)
      throw new UnsupportedLanceFeatureException(
        "variable width values with a buffer compression of their own"
      )
    variable.getOffsets.compression match {
      case Compression.Flat(flat) if shape == ValueShape.VariableWidth(flat.bitsPerValue.toInt) =>
        flat.bitsPerValue.toInt
      case offsets => throw new LanceFormatException(s"offsets encoded as $offsets in a column of $shape")
    }
  }

  /** FSST shortens strings, and nothing else. */
  private def shortened(fsst: FsstMessage): VariableMessage = fsst.getValues.compression match {
    case Compression.Variable(variable) => variable
    case values => throw new LanceFormatException(s"FSST around values encoded as $values")
  }

  private def unsupported(feature: String): Nothing = throw new UnsupportedLanceFeatureException(feature)

  private def unknown(): Nothing =
    throw new LanceFormatException("a page's compression is missing, or of a kind unknown to this version")
}
