package io.sparklance.file

import io.sparklance.data.{FileVersion, RowRanges, ValueShape}
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.schema.{Field, Leaf, LogicalType}
import io.sparklance.{LanceFormatException, Location, UnsupportedLanceFeatureException}

/** Reads a leaf of a file before version 2.1 inside of the structs and lists around it. There each field has
  * a column: that of a list its lists' ends, that of a struct nothing at all.
  *
  * @param freeBytes
  *   that a list may take in memory, whatever it has in the file
  */
final private[file] class NestedArrays(
    location: Location,
    leaf: Leaf,
    columns: LeafColumns,
    version: FileVersion,
    bytes: ScanBytes,
    freeBytes: Long = NestedArrays.FreeBytes
) {

  def cursor(rows: RowRanges, expectedRows: Long): RowCursor =
    cursor(leaf.around.toList, columns.lists.toList, () => rows, expectedRows)

  private def cursor(
      around: List[Field],
      lists: List[ColumnMetadata],
      rows: () => RowRanges,
      expectedRows: Long
  ): RowCursor = around match {
    case field :: inside =>
      (field.logicalType, lists) match {
        case (LogicalType.Struct, _) => new StructCursor(cursor(inside, lists, rows, expectedRows))
        case (LogicalType.List(_, _), list :: others) =>
          check(list, expectedRows)
          listCursor(field, list, rows(), itemBytes)((items, count) => cursor(inside, others, items, count))
        case (LogicalType.List(_, _), Nil) =>
          throw new LanceFormatException(s"lists of field '${field.name}' without a column", location)
        case (other, _) =>
          throw new UnsupportedLanceFeatureException(s"type $other in a file of version $version", location)
      }
    case Nil =>
      check(columns.values, expectedRows)
      columns.content.fold[RowCursor](valueCursor(columns.values, leaf.alone, rows)) { bytes =>
        new ByteListCursor(listCursor(leaf.field, columns.values, rows(), 1L) { (items, count) =>
          check(bytes, count)
          valueCursor(bytes, Leaf(Vector.empty, ByteLists.item), items)
        })
      }
  }

  /** @param below makes the cursor of the items from their rows and their number */
  private def listCursor(field: Field, ends: ColumnMetadata, rows: => RowRanges, itemBytes: Long)(
      below: (() => RowRanges, Long) => RowCursor
  ): RowCursor = {
    val items = ListCursor.firstItems(location, ends).last
    new ListCursor(location, field, ends, rows, itemBytes, maxBytes, bytes, below(_, items))
  }

  private def valueCursor(stored: ColumnMetadata, leaf: Leaf, rows: () => RowRanges): RowCursor = {
    def plan = FilePlan.pages(stored, rows())
    new ColumnCursor(location, plan, leaf, version, bytes)
  }

  private def itemBytes: Long = math.max(1L, ValueShape.minimumBytes(PrimitiveField.shapeOf(leaf.field)))

  /** Refuses lists that claim more than any real encoding can pack, unless they are small. */
  private def maxBytes: Long = {
    val stored =
      columns.content.getOrElse(columns.values).pages.iterator.flatMap(_.buffers).map(_.length.toDouble).sum
    math.max(freeBytes, (NestedArrays.MaxRatio * stored).toLong)
  }

  private def check(column: ColumnMetadata, rows: Long): Unit =
    if (column.rows != rows)
      throw new LanceFormatException(s"a column of ${column.rows} rows where $rows are expected", location)
}

/** Columns of a leaf of a file before version 2.1.
  *
  * @param lists
  *   of the lists around the leaf, outermost first
  * @param values
  *   of the leaf itself
  * @param content
  *   the bytes of its strings, if they have a column of their own
  */
final private[file] case class LeafColumns(
    lists: Vector[ColumnMetadata],
    values: ColumnMetadata,
    content: Option[ColumnMetadata] = None
)

private object NestedArrays {
  final private val FreeBytes = 256L << 20

  /** Largest ratio of the sizes of a list in memory and in the file, for lists larger than `FreeBytes`. */
  final private val MaxRatio = 16
}
