package io.sparklance.file

import io.sparklance.LanceFormatException
import io.sparklance.data.{Column, Fixed8Block, ListBlock, VariableBlock}
import io.sparklance.encoding.pages.PageDescription
import io.sparklance.proto.encodings20.ArrayEncoding.{ArrayEncoding => Encoding}
import io.sparklance.schema.{Field, Leaf, LogicalType}

/** Strings as pylance 0.13 wrote them to files of version 2.0: each is a list, and the column that follows,
  * which no field has, holds its bytes.
  */
private[file] object ByteLists {

  /** Field of the bytes. */
  val item: Field = Field(-1, "item", LogicalType.Integer(8, signed = false), nullable = true)

  /** Whether the values of a leaf are such strings. */
  def areIn(leaf: Leaf, values: ColumnMetadata): Boolean = leaf.field.logicalType match {
    case LogicalType.Utf8(_) | LogicalType.Binary(_) => values.pages.headOption.map(_.description).exists {
        case PageDescription.Array(encoding) =>
          encoding.arrayEncoding match {
            case _: Encoding.List => true
            case _ => false
          }
        case PageDescription.Batch(_) | PageDescription.Blobs(_) | PageDescription.Structure(_) => false
      }
    case _ => false
  }
}

/** Makes strings of lists of bytes. */
final private[file] class ByteListCursor(lists: RowCursor) extends RowCursor {
  private val strings = new VariableBlock
  val column: Column = new Column(strings)

  def ensure(rows: Int): Int = {
    if (column.length < rows && (column.length == 0 || strings.sizeInBytes < ColumnCursor.BatchBytes))
      move(lists.ensure(rows - column.length))
    math.min(rows, column.length)
  }

  def complete(rows: Int): Unit = if (column.length < rows) {
    val missing = rows - column.length
    lists.complete(missing)
    move(missing)
  }

  private def move(rows: Int): Unit = lists.column.values match {
    case source: ListBlock =>
      source.items.values match {
        case bytes: Fixed8Block => append(source, bytes, rows)
        case other => throw new IllegalStateException(s"bytes in a ${other.getClass}")
      }
      column.nulls.append(lists.column.nulls, 0, rows)
      lists.column.discardHead(rows)
    case other => throw new IllegalStateException(s"lists in a ${other.getClass}")
  }

  private def append(source: ListBlock, bytes: Fixed8Block, rows: Int): Unit = {
    if (source.items.nulls.hasNulls) throw new LanceFormatException("nulls among the bytes of strings")
    val size = source.offsets(rows)
    strings.reserve(rows, size)
    val shift = strings.byteLength
    System.arraycopy(bytes.values, 0, strings.bytes, shift, size)
    var i = 1
    while (i <= rows) {
      strings.offsets(strings.length + i) = source.offsets(i) + shift
      i += 1
    }
    strings.advance(rows)
  }
}
