package io.sparklance.encoding.v01

import io.sparklance.data.{ByteRange, Column, RowRange, ValueShape}
import io.sparklance.encoding.v20.{ArrayPageDecoder, ArrayPlan, FixedSizeListArray, FlatArray, NullableArray}
import io.sparklance.encoding.{ListPagePlan, PageDecoder}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Encoding of a page of a 0.1 file: one field in one batch of rows. Such files do not describe their pages;
  * the field's type determines the encoding.
  */
sealed private[sparklance] trait BatchEncoding {

  /** Returns the bytes at the position of a page of `rows` rows. */
  final def size(rows: Long, shape: => ValueShape): Long = this match {
    case BatchEncoding.Plain => BatchEncoding.bytes(rows, BatchEncoding.bitsOf(shape))
    case BatchEncoding.Dictionary(keyBits, _) => BatchEncoding.bytes(rows, keyBits.toLong)
    case BatchEncoding.VarBinary(_) => BatchEncoding.bytes(Math.addExact(rows, 1L), 64)
    case BatchEncoding.Lists(offsetBits, _) => BatchEncoding.bytes(Math.addExact(rows, 1L), offsetBits.toLong)
    case BatchEncoding.Nulls => 0
  }
}

private[sparklance] object BatchEncoding {

  /** Values of one width, or fixed-size lists of them, as a flat array of version 2.0 without nulls. */
  case object Plain extends BatchEncoding

  /** Byte strings. In a nullable field, an empty string is a null. */
  final case class VarBinary(nullable: Boolean) extends BatchEncoding

  /** Positions among values that are stored elsewhere in the file.
    *
    * @param keyBits
    *   width of the positions
    * @param values
    *   the dictionary
    */
  final case class Dictionary(keyBits: Int, values: Column) extends BatchEncoding

  /** Nulls only, without stored bytes. */
  case object Nulls extends BatchEncoding

  /** @param offsetBits
    *   32 or 64
    * @param items
    *   number of items in the batch
    */
  final case class Lists(offsetBits: Int, items: Long) extends BatchEncoding {

    /** @param wanted the only lists that will be requested */
    private[encoding] def plan(buffers: Vector[ByteRange], rows: Long, wanted: RowRange): ListPagePlan =
      new BatchLists(this, bufferOf(buffers), rows, wanted)
  }

  /** @param buffers
    *   for [[VarBinary]] the range of the strings and their offsets, for [[Nulls]] none, otherwise one
    * @param rows
    *   number of rows of the page
    * @param wanted
    *   the only rows that will be requested
    */
  private[encoding] def decoder(
      encoding: BatchEncoding,
      buffers: Vector[ByteRange],
      rows: Long,
      wanted: RowRange,
      shape: ValueShape
  ): PageDecoder = {
    val plan = encoding match {
      case Plain => plain(shape, bufferOf(buffers))
      case Nulls => NullableArray.allNulls
      case VarBinary(nullable) =>
        val (content, offsets) = twoOf(buffers)
        new VarBinaryArray(content, offsets, wanted, nullable)
      case Dictionary(keyBits, values) =>
        val keys = ValueShape.FixedWidth(keyBits)
        new KeyedArray(plain(keys, bufferOf(buffers)), keys, values)
      case Lists(_, _) => throw new LanceFormatException("a page of lists where values are expected")
    }
    // The page must hold all rows, not only the wanted ones.
    if (rows > 0) { val _ = plan.reach(RowRange(rows - 1, rows)) }
    new ArrayPageDecoder(plan, shape)
  }

  private def bytes(values: Long, bits: Long): Long = Math.addExact(Math.multiplyExact(values, bits), 7L) / 8

  private def bitsOf(shape: ValueShape): Long = shape match {
    case ValueShape.FixedWidth(bits) => bits.toLong
    case ValueShape.FixedSizeList(dimension, items) =>
      Math.multiplyExact(dimension.toLong, bitsOf(items))
    case ValueShape.VariableWidth(_) | ValueShape.Struct(_) => refuse(shape)
  }

  private def plain(shape: ValueShape, buffer: ByteRange): ArrayPlan = shape match {
    case ValueShape.FixedWidth(bits) => FlatArray.stored(buffer, bits)
    case ValueShape.FixedSizeList(dimension, items) =>
      FixedSizeListArray.plan(dimension, plain(items, buffer))
    case ValueShape.VariableWidth(_) | ValueShape.Struct(_) => refuse(shape)
  }

  private def refuse(shape: ValueShape): Nothing =
    throw new UnsupportedLanceFeatureException(s"a page of $shape in a file of version 0.1")

  private def bufferOf(buffers: Vector[ByteRange]): ByteRange = buffers match {
    case Vector(buffer) => buffer
    case other => throw new LanceFormatException(s"a page of ${other.size} buffers, not 1")
  }

  private def twoOf(buffers: Vector[ByteRange]): (ByteRange, ByteRange) = buffers match {
    case Vector(first, second) => (first, second)
    case other => throw new LanceFormatException(s"a page of ${other.size} buffers, not 2")
  }
}
