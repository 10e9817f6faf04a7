package io.sparklance.encoding.v20

import io.sparklance.data.{ByteRange, RowRange, ValueShape}
import io.sparklance.encoding.physical.{Fsst, Widths}
import io.sparklance.encoding.{DictionaryNumbers, PageDecoder}
import io.sparklance.proto.encodings20.ArrayEncoding.{ArrayEncoding => Encoding}
import io.sparklance.proto.encodings20.Nullable.Nullability
import io.sparklance.proto.encodings20.{ArrayEncoding, Binary, Dictionary, FixedSizeBinary, Nullable}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Maps the message of an array of a 2.0 page to its decoder. Messages are nested like arrays and do not
  * record row counts, so reads are checked against the buffers.
  */
private[encoding] object ArrayEncodings {

  /** Largest accepted dictionary. Writers make string dictionaries of less than 100 items; dictionary columns
    * may have more.
    */
  private val MaxDictionaryBytes = 64L << 20

  /** @param buffers
    *   ranges of the page's buffers, in the order of its metadata
    * @param rows
    *   the page's row count by its metadata
    * @param wanted
    *   the only rows that will be requested
    */
  def decoder(
      encoding: ArrayEncoding,
      buffers: Vector[ByteRange],
      rows: Long,
      wanted: RowRange,
      shape: ValueShape,
      numbers: DictionaryNumbers
  ): PageDecoder = {
    val plan = new ArrayEncodings(new PageBuffers(buffers), numbers).plan(encoding, wanted, shape)
    // The page must hold all rows, not only the wanted ones.
    if (rows > 0) plan.reach(RowRange(rows - 1, rows))
    new ArrayPageDecoder(plan, shape)
  }

  /** Returns the plan of the ends of lists. */
  def ends(encoding: ArrayEncoding, buffers: Vector[ByteRange], wanted: RowRange): ArrayPlan =
    new ArrayEncodings(new PageBuffers(buffers), DictionaryNumbers.FromOne)
      .plan(encoding, wanted, ValueShape.FixedWidth(64))
}

final private class ArrayEncodings(buffers: PageBuffers, numbers: DictionaryNumbers) {

  def plan(encoding: ArrayEncoding, wanted: RowRange, shape: ValueShape): ArrayPlan =
    encoding.arrayEncoding match {
      case Encoding.Flat(flat) => FlatArray.plan(flat, buffers, shape)
      case Encoding.Nullable(nullable) => this.nullable(nullable, wanted, shape)
      case Encoding.FixedSizeList(list) =>
        shape match {
          case ValueShape.FixedSizeList(dimension, items)
              if dimension == list.dimension && !list.hasValidity =>
            val ofItems = FixedSizeListArray.itemsOf(wanted, dimension)
            FixedSizeListArray.plan(dimension, plan(list.getItems, ofItems, items))
          case other =>
            throw new LanceFormatException(
              s"lists of ${Integer.toUnsignedString(list.dimension)} items in a column of $other"
            )
        }
      case Encoding.Binary(binary) => this.binary(binary, wanted, None)
      case Encoding.Fsst(fsst) =>
        fsst.getBinary.arrayEncoding match {
          case Encoding.Binary(binary) =>
            this.binary(binary, wanted, Fsst.codes(fsst.symbolTable.toByteArray))
          case other =>
            throw new LanceFormatException(s"FSST around an array encoded as ${other.getClass.getSimpleName}")
        }
      case Encoding.Dictionary(dictionary) => this.dictionary(dictionary, wanted, shape)
      case Encoding.Bitpacked(packed) => BitpackedArray.plan(packed, buffers, shape)
      case Encoding.BitpackedForNonNeg(packed) => BitpackedForNonNegArray.plan(packed, buffers, shape)
      case Encoding.FixedSizeBinary(strings) => fixedSizeBinary(strings, wanted)
      case Encoding.PackedStruct(struct) => PackedStructArray.plan(struct, buffers, shape)
      case _: Encoding.List => unsupported("a list column of a 2.0 file")
      case _: Encoding.Struct => unsupported("a struct column of a 2.0 file")
      case _: Encoding.Constant => unsupported("a 2.0 page of constants")
      case _: Encoding.InlineBitpacking => unsupported("inline bit-packing in a 2.0 page")
      case _: Encoding.OutOfLineBitpacking => unsupported("out-of-line bit-packing in a 2.0 page")
      case _: Encoding.Variable => unsupported("the variable encoding in a 2.0 page")
      case _: Encoding.PackedStructFixedWidthMiniBlock => unsupported("a packed mini-block in a 2.0 page")
      case _: Encoding.Block => unsupported("the block encoding in a 2.0 page")
      case _: Encoding.Rle => unsupported("run-length encoding in a 2.0 page")
      case _: Encoding.GeneralMiniBlock => unsupported("a compressed mini-block in a 2.0 page")
      case _: Encoding.ByteStreamSplit => unsupported("byte stream split in a 2.0 page")
      case Encoding.Empty =>
        throw new LanceFormatException("an array's encoding is missing, or of a kind unknown to this version")
    }

  private def nullable(nullable: Nullable, wanted: RowRange, shape: ValueShape): ArrayPlan =
    nullable.nullability match {
      case Nullability.NoNulls(values) => plan(values.getValues, wanted, shape)
      case Nullability.SomeNulls(some) =>
        some.getValidity.arrayEncoding match {
          case Encoding.Flat(flags) =>
            val bitmap = FlatArray.flags(flags, buffers, wanted)
            NullableArray.someNulls(bitmap, plan(some.getValues, wanted, shape), wanted)
          case other =>
            throw new UnsupportedLanceFeatureException(
              s"a bitmap of nulls encoded as ${other.getClass.getSimpleName}"
            )
        }
      case _: Nullability.AllNulls => NullableArray.allNulls
      case Nullability.Empty => throw new LanceFormatException("an array does not say whether it has nulls")
    }

  private def binary(binary: Binary, wanted: RowRange, fsst: Option[Fsst.Codes]): ArrayPlan = {
    val indexed = Ends.needed(wanted)
    val indices = plan(binary.getIndices, indexed, ValueShape.FixedWidth(64))
    BinaryArray.plan(
      new ArrayPlan.Loaded(indices, indexed),
      binary.nullAdjustment,
      bytes(binary.getBytes, RowRange(0, Long.MaxValue)),
      wanted,
      fsst
    )
  }

  private def fixedSizeBinary(strings: FixedSizeBinary, wanted: RowRange): ArrayPlan = {
    val width = strings.byteWidth
    if (width <= 0 || width > (1 << 27))
      throw new LanceFormatException(s"strings of ${Integer.toUnsignedString(width)} bytes each")
    bitsPerRow(strings.getBytes) match {
      case 8 =>
        val ofBytes = FixedSizeListArray.itemsOf(wanted, width)
        FixedSizeBinaryArray.plan(width, bytes(strings.getBytes, ofBytes), rowsPerString = width)
      case _ =>
        val values = plan(strings.getBytes, wanted, ValueShape.FixedWidth(8 * width))
        FixedSizeBinaryArray.plan(width, values, rowsPerString = 1)
    }
  }

  private def bytes(encoding: ArrayEncoding, wanted: RowRange): ArrayPlan =
    plan(encoding, wanted, ValueShape.FixedWidth(8))

  private def dictionary(dictionary: Dictionary, wanted: RowRange, shape: ValueShape): ArrayPlan = {
    val bits = Widths.word(bitsPerRow(dictionary.getIndices))
    val indices = plan(dictionary.getIndices, wanted, ValueShape.FixedWidth(bits))
    val count = Integer.toUnsignedLong(dictionary.numDictionaryItems)
    if (count > ArrayEncodings.MaxDictionaryBytes / math.max(1L, ValueShape.minimumBytes(shape)))
      throw new LanceFormatException(s"a dictionary of $count items")
    val all = RowRange(0, count)
    val items = new ArrayPlan.Loaded(plan(dictionary.getItems, all, shape), all)
    DictionaryArray.plan(indices, bits, items, shape, numbers)
  }

  /** Returns the width of the values of an array that has no column type. */
  private def bitsPerRow(encoding: ArrayEncoding): Long = encoding.arrayEncoding match {
    case Encoding.Flat(flat) => flat.bitsPerValue
    case Encoding.Bitpacked(packed) => packed.uncompressedBitsPerValue
    case Encoding.BitpackedForNonNeg(packed) => packed.uncompressedBitsPerValue
    case Encoding.Nullable(nullable) =>
      nullable.nullability match {
        case Nullability.NoNulls(values) => bitsPerRow(values.getValues)
        case Nullability.SomeNulls(some) => bitsPerRow(some.getValues)
        case _: Nullability.AllNulls | Nullability.Empty => 8
      }
    case other =>
      throw new UnsupportedLanceFeatureException(s"numbers encoded as ${other.getClass.getSimpleName}")
  }

  private def unsupported(feature: String): Nothing = throw new UnsupportedLanceFeatureException(feature)
}
