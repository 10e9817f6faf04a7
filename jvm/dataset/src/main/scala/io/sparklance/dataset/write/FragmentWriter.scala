package io.sparklance.dataset.write

import io.sparklance.data.{
  Column,
  DataBlock,
  FileVersion,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBlock,
  FixedBytesBlock,
  FixedSizeListBlock,
  ListBlock,
  StructBlock,
  VariableBlock
}
import io.sparklance.dataset.blob.BlobWriter
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.io.{Closing, ObjectStore}
import io.sparklance.schema.{Field, LanceSchema}
import io.sparklance.table.WriteId

/** Writes a new fragment of a table, row by row: append a value and its null flag to each of `columns`, then
  * call [[rowWritten]]. The values of a top-level field go to its file when those of one of its columns
  * exceed the page size, so memory is bounded by the page size times the number of columns.
  *
  * @param root
  *   of the table
  * @param write
  *   the write that the files are a part of
  * @param limits
  *   decide when the fragment is full; the caller finishes it then
  */
final private[sparklance] class FragmentWriter(
    store: ObjectStore,
    root: String,
    schema: LanceSchema,
    format: DataFileFormat,
    write: WriteId,
    limits: FileLimits
) {
  import format.{maxPageBytes, version}

  def this(
      store: ObjectStore,
      root: String,
      schema: LanceSchema,
      version: FileVersion,
      maxPageBytes: Long = FragmentWriter.DefaultPageBytes,
      write: WriteId = WriteId.random(),
      statistics: StatisticsKind = StatisticsKind.Zones
  ) = this(
    store,
    root,
    schema,
    DataFileFormat(version, maxPageBytes, statistics = statistics),
    write,
    FileLimits.none
  )

  WriteSchema.refuseUnwritable(schema, version)

  /** One for each top-level field; the caller appends to them. */
  val columns: Vector[Column] = schema.fields.map(LeafColumn.ofNulls)

  private val divided: Vector[Vector[Int]] = format.groups.divide(schema)
  private val files: Vector[ColumnFile] =
    ColumnFile.openAll(divided.map(part => schema.copy(fields = part.map(schema.fields)))) { columns =>
      new ColumnFile(store, root, columns, format, write)
    }

  /** The file of each top-level field, and the field's place in it. */
  private val places: Array[(ColumnFile, Int)] = {
    val places = new Array[(ColumnFile, Int)](columns.size)
    for ((file, part) <- files.zip(divided); (field, i) <- part.zipWithIndex) places(field) = file -> i
    places
  }
  private val pages = new ColumnPages(
    schema,
    columns,
    format,
    write,
    (i, page, row) => {
      val (file, place) = places(i)
      file.append(place, page, row)
    }
  )
  private val flushedRows = new Array[Long](columns.size)
  private var rows = 0L

  // Looked at after every row; columns of fixed width only when one of them can be full.
  private val growing: Array[DataBlock] =
    columns.map(_.values).filter(FragmentWriter.fixedBytes(_).isEmpty).toArray
  private val rowsPerPage: Vector[Long] = columns.map(column =>
    FragmentWriter.fixedBytes(column.values).fold(Long.MaxValue)(b =>
      math.max(1, maxPageBytes / math.max(b, 1))
    )
  )
  private var nextCheck = 0L
  private var checkedRows = 0L
  private var full = false
  planCheck()

  /** Called after each row. */
  def rowWritten(): Unit = rowsWritten(1)

  /** Called after several rows, at most [[rowsUntilFull]]. */
  def rowsWritten(n: Int): Unit = {
    rows += n
    if (rows >= nextCheck || someAreFull) {
      columns.indices.foreach(i => if (hasFullPage(i)) flush(i))
      planCheck()
    }
    full = rows >= limits.maxRows || rows - checkedRows >= limits.rowsBetweenChecks && exceedsLimits
  }

  private def exceedsLimits: Boolean = {
    checkedRows = rows
    bytesWritten >= limits.maxBytes || pagesWritten >= limits.maxPages
  }

  /** Whether the file has reached a limit, as of the last [[rowsWritten]]. */
  def isFull: Boolean = full

  def rowsWritten: Long = rows

  /** The rows that may be appended before the next call of [[rowsWritten]]: until a page of a column of fixed
    * width, or the file, is full.
    */
  def rowsUntilFull: Long = math.min(nextCheck, limits.maxRows) - rows

  /** Returns the writer of a field's blobs.
    *
    * @param column
    *   the column of `field`, one of [[columns]] or inside one
    */
  def blobs(field: Field, column: Column): BlobWriter = {
    val root = if (files.size == 1) 0 else schema.fields.indexWhere(_.preOrder.exists(_.id == field.id))
    places(root)._1.blobs(field, column)
  }

  /** Bytes that went into the files or wait to do so. */
  def bytesWritten: Long =
    files.iterator.map(_.bytesWritten).sum + pages.bytesWaiting +
      columns.iterator.map(_.values.sizeInBytes).sum

  def fileCount: Int = files.size

  /** Number of pages of all columns. Their metadata, up to a kilobyte each, stay in memory until the files
    * are complete.
    */
  def pagesWritten: Long = files.iterator.map(_.pagesWritten).sum

  /** Completes the files, which become visible; nothing refers to them before a commit. */
  def finish(): WrittenFile = {
    columns.indices.foreach(checkRows)
    columns.indices.foreach(i =>
      if (columns(i).length > 0 || rows == 0 && needsPages) flush(i, isLast = true)
    )
    pages.finish()
    val finished = files.map(_.finish(rows))
    val counts = finished.head.pages.copy(runts = pages.runtPages)
    finished.head.copy(pages = counts, beside = finished.tail)
  }

  /** Removes the files. */
  def abort(): Unit = Closing.all(pages +: files)

  private def someAreFull: Boolean = {
    var i = 0
    while (i < growing.length) {
      if (FragmentWriter.largestLeaf(growing(i)) >= maxPageBytes) return true
      i += 1
    }
    false
  }

  private def hasFullPage(column: Int): Boolean =
    columns(column).length >= rowsPerPage(column) ||
      FragmentWriter.largestLeaf(columns(column).values) >= maxPageBytes

  private def planCheck(): Unit =
    nextCheck = columns.indices.iterator
      .map(i => if (rowsPerPage(i) == Long.MaxValue) Long.MaxValue else flushedRows(i) + rowsPerPage(i))
      .minOption
      .getOrElse(Long.MaxValue)

  private def flush(i: Int, isLast: Boolean = false): Unit = {
    checkRows(i)
    pages.add(i, isLast)
    flushedRows(i) = rows
    columns(i).clear()
    columns(i).release(2 * maxPageBytes)
  }

  /** Whether columns must have a page, even if it has no rows. */
  private def needsPages: Boolean = version match {
    case FileVersion.V0_1 | FileVersion.V2_0 => true
    case FileVersion.V2_1 | FileVersion.V2_2 => false
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

private[sparklance] object FragmentWriter {
  val DefaultPageBytes: Long = 8L << 20

  /** Returns the page size with which a task buffers no more than `bufferBytes`. Arrays grow by half, so a
    * column's arrays may exceed its values by as much. One page at a time is encoded, and its copies, levels
    * and tables of distinct values or symbols take about four times its size.
    *
    * @param most
    *   wanted size of pages
    */
  def pageBytes(schema: LanceSchema, bufferBytes: Long, most: Long = DefaultPageBytes): Long =
    math.max(1, math.min(most, (bufferBytes / (heldByColumns(schema) + 4)).toLong))

  /** Returns sizes with which a task buffers no more than `bufferBytes`, as [[pageBytes]] does. If columns
    * get much less than a page each, their pages are put together from parts on local disk.
    *
    * @param most
    *   wanted size of pages
    */
  def pageSizes(schema: LanceSchema, bufferBytes: Long, most: Long = DefaultPageBytes): PageSizes = {
    val joined = math.min(most, bufferBytes / 16)
    // A page with its arrays and copies is in memory beside the buffers.
    val part = math.max(1, ((bufferBytes - 5.5 * joined) / heldByColumns(schema)).toLong)
    if (part < joined / LeastParts) PageSizes(part, Some(joined))
    else PageSizes(pageBytes(schema, bufferBytes, most), None)
  }

  /** Memory that columns hold, as a multiple of the page size. */
  private def heldByColumns(schema: LanceSchema): Double = 1.5 * schema.preOrder.count(_.children.isEmpty)

  /** Number of parts of a page from which on disk is worthwhile. */
  final private val LeastParts = 32

  /** Returns the bytes of a value in memory; None for variable widths and for several columns. */
  private def fixedBytes(values: DataBlock): Option[Long] = values match {
    case _: Fixed8Block => Some(1)
    case _: Fixed16Block => Some(2)
    case _: Fixed32Block => Some(4)
    case _: Fixed64Block => Some(8)
    case block: FixedBytesBlock => Some(block.width.toLong)
    case lists: FixedSizeListBlock => fixedBytes(lists.items).map(_ * lists.dimension)
    case _: VariableBlock | _: StructBlock | _: ListBlock => None
  }

  /** Bytes of the values of the largest of a field's columns, about. */
  private[write] def largestLeaf(values: DataBlock): Long = values match {
    case structs: StructBlock =>
      var largest = structs.length.toLong
      var i = 0
      while (i < structs.children.length) {
        largest = math.max(largest, largestLeaf(structs.children(i).values))
        i += 1
      }
      largest
    case lists: ListBlock => largestLeaf(lists.items.values) + 4L * lists.length
    case _: FixedBlock | _: VariableBlock | _: FixedSizeListBlock => values.sizeInBytes
  }
}
