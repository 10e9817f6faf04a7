package io.sparklance.file

import io.sparklance.data.{ByteRange, Slice, ValueShape}
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.encoding.pages.PageDescription
import io.sparklance.encoding.v01.BatchEncoding
import io.sparklance.schema.{Field, LogicalType, LogicalTypes}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** A field of a 0.1 file that has pages: a list, or a leaf.
  *
  * @param id
  *   by which the page table knows it
  */
final private[file] case class LegacyColumn(field: Field, id: Int) {
  def isList: Boolean = field.logicalType match {
    case LogicalType.List(_, _) => true
    case _ => false
  }
}

/** From the page table of a 0.1 file to the metadata of the columns on the way to a leaf.
  *
  * @param path
  *   the lists around the leaf, outermost first, and the leaf
  * @param batches
  *   how many rows each has
  */
final private[file] class LegacyColumns(path: Vector[LegacyColumn], batches: Vector[Long], fileSize: Long) {

  /** @param entries
    *   the page table's, one slice for each column of the path
    * @param dictionary
    *   that of the leaf, if it is a dictionary column
    */
  def metadata(
      entries: Vector[Slice],
      dictionary: Option[BatchEncoding.Dictionary]
  ): Vector[ColumnMetadata] = {
    val stored = path.zip(entries).map { case (column, own) => batches.indices.map(entry(column, own, _)) }
    val pages = stored.head.zip(batches).map { case (page, rows) => ofBatch(page, rows) } +: stored.tail
    checkNulls(pages)
    path.indices.toVector.map { at =>
      val firstRows = pages(at).scanLeft(0L)((sum, page) => Math.addExact(sum, page.rows))
      ColumnMetadata(batches.indices.toVector.map { batch =>
        def items: Long = pages(at + 1)(batch).rows
        page(path(at), pages(at)(batch), firstRows(batch), encoding(path(at).field, items, dictionary))
      })
    }
  }

  private def entry(column: LegacyColumn, entries: Slice, batch: Int): PageEntry = {
    val at = LegacyColumns.EntrySize * batch
    val (position, length) = (entries.long(at), entries.long(at + 8))
    // A list has an offset more than rows.
    val rows = if (column.isList) length - 1 else length
    if (rows < 0)
      throw new LanceFormatException(s"the page table claims $length values of batch $batch at $position")
    PageEntry(position, rows, rows)
  }

  /** Old releases wrote some pages longer than their batches, of which the reference takes the start. */
  private def ofBatch(page: PageEntry, rows: Long): PageEntry = {
    if (page.rows < rows)
      throw new LanceFormatException(s"the page table claims ${page.rows} values in a batch of $rows rows")
    page.copy(rows = rows)
  }

  /** Nulls take no room in the file but do in memory, where a list may have any number of them. */
  private def checkNulls(pages: Vector[IndexedSeq[PageEntry]]): Unit =
    if (path.size > 1 && path.last.field.logicalType == LogicalType.Null)
      pages.last.find(_.rows > LegacyColumns.MaxNulls).foreach { page =>
        throw new UnsupportedLanceFeatureException(s"lists of ${page.rows} nulls")
      }

  private def encoding(
      field: Field,
      items: => Long,
      dictionary: Option[BatchEncoding.Dictionary]
  ): BatchEncoding = field.logicalType match {
    case LogicalType.List(large, _) => BatchEncoding.Lists(if (large) 64 else 32, items)
    case _: LogicalType.Utf8 | _: LogicalType.Binary | LogicalType.Json =>
      BatchEncoding.VarBinary(field.nullable)
    case _: LogicalType.Dictionary =>
      dictionary.getOrElse(throw new LanceFormatException("a dictionary column without values"))
    case LogicalType.Null => BatchEncoding.Nulls
    case LogicalType.Bool | LogicalType.BFloat16 | LogicalType.Date32 | LogicalType.Date64 |
        _: LogicalType.Integer | _: LogicalType.FloatingPoint | _: LogicalType.FixedSizeBinary |
        _: LogicalType.Decimal | _: LogicalType.Time | _: LogicalType.Timestamp | _: LogicalType.Duration |
        _: LogicalType.FixedSizeList =>
      BatchEncoding.Plain
    case LogicalType.Struct | LogicalType.Map | LogicalType.Blob | LogicalType.Unknown(_) =>
      LegacyColumns.refuse(field)
  }

  private def page(
      column: LegacyColumn,
      entry: PageEntry,
      firstRow: Long,
      encoding: BatchEncoding
  ): PageMetadata = {
    def shape: ValueShape = PrimitiveField.shapeOf(column.field)
    val buffers = LegacyColumns.buffers(encoding, shape, entry.position, entry.stored, fileSize)
    PageMetadata(buffers, firstRow, entry.rows, PageDescription.Batch(encoding))
  }
}

/** Entry of the page table for a field in a batch.
  *
  * @param stored
  *   number of stored values, of which the first `rows` are valid
  */
final private case class PageEntry(position: Long, stored: Long, rows: Long)

private[file] object LegacyColumns {
  final val EntrySize = 16
  final private val MaxNulls = 1L << 24

  /** The fields on the way to what is wanted that have pages, as far as such are known in version 0.1. */
  def of(request: ColumnRequest): Vector[LegacyColumn] = {
    import request.leaf.{around, field}
    if (field.isBlob || field.isPacked) refuse(field)
    val lists = around.filter { outer =>
      outer.logicalType match {
        case LogicalType.List(_, _) => true
        case LogicalType.Struct => false
        case _ => refuse(outer)
      }
    }
    if (lists.size != request.lists.size)
      throw new LanceFormatException(s"${request.lists.size} columns for the ${lists.size} lists around it")
    lists.zip(request.lists).map { case (list, id) => LegacyColumn(list, id) } :+
      LegacyColumn(field, request.columnIndex)
  }

  /** The buffers of a page, in the order in which its decoder wants them. Strings may be anywhere in the
    * file.
    */
  def buffers(
      encoding: BatchEncoding,
      shape: => ValueShape,
      position: Long,
      rows: Long,
      fileSize: Long
  ): Vector[ByteRange] = {
    def stored: ByteRange =
      FileRanges.checked(position, encoding.size(rows, shape), fileSize, "a page")
    encoding match {
      case BatchEncoding.Nulls => Vector.empty
      case BatchEncoding.VarBinary(_) => Vector(ByteRange(0, fileSize), stored)
      case BatchEncoding.Plain | BatchEncoding.Dictionary(_, _) | BatchEncoding.Lists(_, _) => Vector(stored)
    }
  }

  private def refuse(field: Field): Nothing = {
    val kind =
      if (field.isBlob) "a blob"
      else if (field.isPacked) "a packed struct" else LogicalTypes.print(field.logicalType)
    throw new UnsupportedLanceFeatureException(s"$kind in a file of version 0.1 (column '${field.name}')")
  }
}
