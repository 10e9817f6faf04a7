package io.sparklance.encoding.physical

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, FixedBytesBlock, Slice, StructBlock, ValueShape}
import io.sparklance.encoding.{MiniBlockCompressor, MiniBlockDecompressor}
import io.sparklance.proto.encodings.CompressiveEncoding.Compression
import io.sparklance.proto.encodings.{CompressiveEncoding, PackedStruct => PackedStructMessage}

/** Structs whose fields all have one width, as rows: the fields of the first, side by side, then those of the
  * second. Message `PackedStruct`. Fields are never null themselves; levels record which structs are.
  *
  * {{{
  * mini-block chunk   | field 0 | field 1 | .. | field 0 | field 1 | .. |      little-endian, no padding
  * }}}
  */
private[sparklance] object PackedStruct {

  def miniBlock(message: PackedStructMessage, shape: ValueShape): MiniBlockDecompressor = {
    val rows = new PackedRows(fieldsOf(shape))
    val widths = rows.widths.map(8L * _)
    message.getValues.compression match {
      case Compression.Flat(flat)
          if message.bitsPerValue == widths && flat.bitsPerValue == widths.sum && flat.data.isEmpty =>
        MiniBlockDecompressor.ofOneBuffer { (buffer, count, out) =>
          if (buffer.length != count.toLong * rows.bytesPerRow)
            throw new LanceFormatException(s"$count rows of ${rows.bytesPerRow} bytes in ${buffer.length}")
          rows.append(buffer, count, out)
        }
      case values =>
        throw new LanceFormatException(
          s"packed structs of ${message.bitsPerValue.mkString(", ")} bits encoded as $values in a column of $shape"
        )
    }
  }

  /** Whether values of a shape are packed this way: pylance 14.0.2 supports only words, neither lists nor
    * booleans.
    */
  def holds(shape: ValueShape): Boolean = shape match {
    case ValueShape.Struct(fields) => fields.forall {
        case ValueShape.FixedWidth(bits) => bits % 8 == 0
        case ValueShape.VariableWidth(_) | ValueShape.FixedSizeList(_, _) | ValueShape.Struct(_) => false
      }
    case ValueShape.FixedWidth(_) | ValueShape.VariableWidth(_) | ValueShape.FixedSizeList(_, _) => false
  }

  def compressor(shape: ValueShape): MiniBlockCompressor = values => {
    val rows = new PackedRows(fieldsOf(shape))
    val flat = Flat.compressor(8 * rows.bytesPerRow).compress(rows.toBlock(values))
    val message = PackedStructMessage(rows.widths.map(8L * _), Some(flat.encoding))
    flat.copy(encoding = CompressiveEncoding(Compression.PackedStruct(message)))
  }

  private[encoding] def fieldsOf(shape: ValueShape): Vector[ValueShape] = shape match {
    case ValueShape.Struct(fields) => fields
    case ValueShape.FixedWidth(_) | ValueShape.VariableWidth(_) | ValueShape.FixedSizeList(_, _) =>
      throw new LanceFormatException(s"packed structs in a column of $shape")
  }

  private[encoding] def asStructs(block: DataBlock, fields: Int): StructBlock = block match {
    case structs: StructBlock if structs.children.size == fields => structs
    case other => Widths.mismatch(s"structs of $fields fields", other)
  }
}

/** Rows of fields that all have one width. */
final private[encoding] class PackedRows(fields: Vector[ValueShape]) {
  val widths: Vector[Int] = fields.map(StridedValues.widthOf)
  val bytesPerRow: Int = widths.foldLeft(0)(Math.addExact)
  if (bytesPerRow == 0) throw new LanceFormatException("packed structs of no bytes")
  private val starts = widths.scanLeft(0)(_ + _)

  /** Appends the `count` structs of `rows`. */
  def append(rows: Slice, count: Int, out: DataBlock): Unit = {
    val structs = PackedStruct.asStructs(out, fields.size)
    structs.children.zip(starts).foreach { case (child, start) =>
      StridedValues.append(rows.array, rows.offset + start, bytesPerRow, count, child.values)
      child.nulls.appendValid(count)
    }
    structs.advance(count)
  }

  /** Returns all structs of a block as fixed-width values, one row each. */
  def toBlock(values: DataBlock): FixedBytesBlock = {
    val rows = new FixedBytesBlock(bytesPerRow)
    val _ = rows.extend(values.length)
    PackedStruct.asStructs(values, fields.size).children.zip(starts).foreach { case (child, start) =>
      StridedValues.write(child.values, rows.bytes, start, bytesPerRow)
    }
    rows
  }
}
