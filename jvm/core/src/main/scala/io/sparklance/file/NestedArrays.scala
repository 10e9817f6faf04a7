package io.sparklance.file

import io.sparklance.data.{FileVersion, RowRanges, ValueShape}
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.schema.{Field, Leaf, LogicalType}
import io.sparklance.{LanceFormatException, Location, UnsupportedLanceFeatureException}

/** Reads a leaf of a file before version 2.1 inside of the structs and lists around it. There each field has
  * a column: that of a list its lists' ends, that of a struct nothing at all.
  *
  * @param lists
  *   the columns of the lists around the leaf, outermost first
  * @param values
  *   the column of the leaf itself
  * @param freeBytes
  *   that a list may take in memory, whatever it has in the file
  */
final private[file] class NestedArrays(
    location: Location,
    leaf: Leaf,
    lists: Vector[ColumnMetadata],
    values: ColumnMetadata,
    version: FileVersion,
    bytes: ScanBytes,
    freeBytes: Long = NestedArrays.FreeBytes
) {

  def cursor(rows: RowRanges, expectedRows: Long): RowCursor =
    cursor(leaf.around.toList, lists.toList, () => rows, expectedRows)

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
          val items = ListCursor.firstItems(location, list).last
          new ListCursor(
            location,
            field,
            list,
            rows(),
            itemBytes,
            maxBytes,
            bytes,
            cursor(inside, others, _, items)
          )
        case (LogicalType.List(_, _), Nil) =>
          throw new LanceFormatException(s"lists of field '${field.name}' without a column", location)
        case (other, _) =>
          throw new UnsupportedLanceFeatureException(s"type $other in a file of version $version", location)
      }
    case Nil =>
      check(values, expectedRows)
      def plan = FilePlan.pages(values, rows())
      new ColumnCursor(location, plan, leaf.alone, version, bytes)
  }

  private def itemBytes: Long = math.max(1L, ValueShape.minimumBytes(PrimitiveField.shapeOf(leaf.field)))

  /** Refuses lists that claim more than any real encoding can pack, unless they are small. */
  private def maxBytes: Long = {
    val stored = values.pages.iterator.flatMap(_.buffers).map(_.length.toDouble).sum
    math.max(freeBytes, (NestedArrays.MaxRatio * stored).toLong)
  }

  private def check(column: ColumnMetadata, rows: Long): Unit =
    if (column.rows != rows)
      throw new LanceFormatException(s"a column of ${column.rows} rows where $rows are expected", location)
}

private object NestedArrays {
  final private val FreeBytes = 256L << 20

  /** Largest ratio of the sizes of a list in memory and in the file, for lists larger than `FreeBytes`. */
  final private val MaxRatio = 16
}
