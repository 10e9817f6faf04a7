package io.sparklance.encoding.pages

import io.sparklance.encoding.pages.LayoutText.Unknown
import io.sparklance.proto.encodings20.ArrayEncoding.{ArrayEncoding => Kind}
import io.sparklance.proto.encodings20.Nullable.Nullability
import io.sparklance.proto.encodings20.{ArrayEncoding, Nullable}

/** Describes a page of version 2.0, a tree of arrays: `nullable(validity=flat(1), values=flat(32))`. */
private[encoding] object ArrayText {

  def of(array: ArrayEncoding): String = array.arrayEncoding match {
    case Kind.Flat(flat) =>
      s"flat(${flat.bitsPerValue}${flat.compression.fold("")(c => s", ${c.scheme}")})"
    case Kind.Nullable(nullable) => of(nullable)
    case Kind.FixedSizeList(list) => s"fixed_size_list[${list.dimension}](${of(list.getItems)})"
    case Kind.List(list) => s"list(offsets=${of(list.getOffsets)})"
    case Kind.Struct(_) => "struct"
    case Kind.Binary(binary) => s"binary(indices=${of(binary.getIndices)}, bytes=${of(binary.getBytes)})"
    case Kind.Dictionary(words) =>
      s"dictionary(indices=${of(words.getIndices)}, items=${of(words.getItems)})"
    case Kind.Fsst(fsst) => s"fsst(${of(fsst.getBinary)})"
    case Kind.PackedStruct(struct) => s"packed_struct(${struct.inner.map(of).mkString(", ")})"
    case Kind.Bitpacked(packed) =>
      val signed = if (packed.signed) ", signed" else ""
      s"bitpacked(${packed.uncompressedBitsPerValue} <- ${packed.compressedBitsPerValue}$signed)"
    case Kind.BitpackedForNonNeg(packed) =>
      s"bitpacked_for_non_neg(${packed.uncompressedBitsPerValue} <- ${packed.compressedBitsPerValue})"
    case Kind.FixedSizeBinary(binary) => s"fixed_size_binary[${binary.byteWidth}](${of(binary.getBytes)})"
    case Kind.Constant(_) => "constant"
    case Kind.InlineBitpacking(_) => "inline_bitpacking"
    case Kind.OutOfLineBitpacking(_) => "out_of_line_bitpacking"
    case Kind.Variable(_) => "variable"
    case Kind.PackedStructFixedWidthMiniBlock(_) => "packed_struct_fixed_width_mini_block"
    case Kind.Block(_) => "block"
    case Kind.Rle(_) => "rle"
    case Kind.GeneralMiniBlock(_) => "general_mini_block"
    case Kind.ByteStreamSplit(_) => "byte_stream_split"
    case Kind.Empty => Unknown
  }

  private def of(nullable: Nullable): String = nullable.nullability match {
    case Nullability.NoNulls(none) => s"no_nulls(${of(none.getValues)})"
    case Nullability.SomeNulls(some) =>
      s"nullable(validity=${of(some.getValidity)}, values=${of(some.getValues)})"
    case Nullability.AllNulls(_) => "all_nulls"
    case Nullability.Empty => s"nullable($Unknown)"
  }
}
