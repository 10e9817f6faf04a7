package io.sparklance.dataset

import io.sparklance.data.{Column, FileVersion, ValueShape, VariableBlock}
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.file.{FileColumns, FileWriter}
import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.schema.LanceSchema

/** Writes one new data file of a table, row by row: append a value and its null flag to each of `columns`, then call
  * [[rowWritten]]. A column's values go to the file as a page when they exceed `maxPageBytes`, so memory is bounded by that
  * times the number of columns.
  *
  * @param root of the table
  * @param write of which the file is a part
  */
final class FragmentWriter(
    store: ObjectStore,
    root: String,
    schema: LanceSchema,
    version: FileVersion,
    maxPageBytes: Long = FragmentWriter.DefaultPageBytes,
    write: WriteId = WriteId.random()
) {
  private val shapes = schema.fields.map(PrimitiveField.shapeOf)

  /** One for each top-level field; the caller appends to them. */
  val columns: Vector[Column] = shapes.map(Column.forShape)

  private val fileName = DataFileName.random(write)
  private val file = new FileWriter(store.create(StorePath.join(root, "data", fileName)), schema, version)
  private val flushedRows = new Array[Long](columns.size)
  private var rows = 0L

  // Looked at after every row; columns of fixed width only when one of them can be full.
  private val strings: Array[VariableBlock] = columns.map(_.values).collect { case b: VariableBlock =>
    b
  }.toArray
  private val rowsPerPage: Vector[Long] =
    shapes.map(shape =>
      FragmentWriter.fixedBytes(shape).fold(Long.MaxValue)(b => math.max(1, maxPageBytes / math.max(b, 1)))
    )
  private var nextCheck = 0L
  planCheck()

  /** To be called after each row. */
  def rowWritten(): Unit = {
    rows += 1
    if (rows >= nextCheck || stringsAreFull) {
      columns.indices.foreach(i => if (isFull(i)) flush(i))
      planCheck()
    }
  }

  def rowsWritten: Long = rows

  /** Bytes that went into the file or wait to do so. */
  def bytesWritten: Long = file.position + columns.iterator.map(_.values.sizeInBytes).sum

  /** Completes the file, which becomes visible; nothing refers to it before a commit. */
  def finish(): WrittenFile = {
    columns.indices.foreach(checkRows)
    columns.indices.foreach(i => if (columns(i).length > 0) flush(i))
    val size = file.finish()
    val fields = FileColumns.of(schema)
    WrittenFile(fileName, fields.map(_.id), fields.indices.toVector, version, size, rows)
  }

  /** Removes the file. */
  def abort(): Unit = file.abort()

  private def stringsAreFull: Boolean = {
    var i = 0
    while (i < strings.length) {
      if (strings(i).sizeInBytes >= maxPageBytes) return true
      i += 1
    }
    false
  }

  private def isFull(column: Int): Boolean =
    columns(column).length >= rowsPerPage(column) || columns(column).values.sizeInBytes >= maxPageBytes

  private def planCheck(): Unit =
    nextCheck = columns.indices.iterator
      .map(i => if (rowsPerPage(i) == Long.MaxValue) Long.MaxValue else flushedRows(i) + rowsPerPage(i))
      .minOption
      .getOrElse(Long.MaxValue)

  private def flush(i: Int): Unit = {
    checkRows(i)
    val column = columns(i)
    file.writePage(i, PrimitiveField.encode(column, schema.fields(i), version), flushedRows(i))
    flushedRows(i) = rows
    column.clear()
  }

  private def checkRows(i: Int): Unit = {
    val values = flushedRows(i) + columns(i).length
    val flags = flushedRows(i) + columns(i).nulls.length
    if (values != rows || flags != rows)
      throw new IllegalStateException(
        s"column ${schema.fields(i).name} has $values values and $flags null flags after $rows rows"
      )
  }
}

object FragmentWriter {
  val DefaultPageBytes: Long = 8L << 20

  /** What a value takes in memory; none if that depends on the value. */
  private def fixedBytes(shape: ValueShape): Option[Long] = shape match {
    case ValueShape.FixedWidth(bits) => Some((bits + 7L) / 8)
    case ValueShape.VariableWidth(_) => None
    case ValueShape.FixedSizeList(dimension, items) => fixedBytes(items).map(_ * dimension)
    case ValueShape.Struct(_) => None
  }
}

/** A data file that was written, as a manifest will describe it.
  *
  * @param fileName relative to the table's `data` directory
  * @param columnIndices parallel to `fieldIds`
  */
final case class WrittenFile(
    fileName: String,
    fieldIds: Vector[Int],
    columnIndices: Vector[Int],
    version: FileVersion,
    sizeBytes: Long,
    rows: Long
)
