package io.sparklance.file

import io.sparklance.data.{ByteRange, FileVersion, RowRange, RowRanges, Slice}
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.io.{Closing, IoClient, IoScheduler, ObjectStore, ReadBudget, ReadableFile, ScheduledFile}
import io.sparklance.schema.{Field, LanceSchema, Leaf}
import io.sparklance.{LanceFormatException, Location}

/** A column of a file that a reader wants.
  *
  * @param columnIndex
  *   which column of the file; in version 0.1, the id of the field
  * @param leaf
  *   what its values mean, and in which structs and lists they are, as the table says
  * @param lists
  *   the columns that the lists around it have in files before version 2.1, outermost first
  * @param chunkFilter
  *   tells which of its values are wanted, if not all of them may be
  */
final private[sparklance] case class ColumnRequest(
    columnIndex: Int,
    leaf: Leaf,
    lists: Vector[Int] = Vector.empty,
    chunkFilter: Option[ChunkFilter] = None
)

private[sparklance] object ColumnRequest {

  /** A column without structs or lists around it. */
  def apply(columnIndex: Int, field: Field): ColumnRequest =
    ColumnRequest(columnIndex, Leaf(Vector.empty, field))
}

/** An open data file. Opening it reads the tail. */
final private[sparklance] class FileReader private (
    file: TailedFile,
    contents: FileContents,
    io: IoClient,
    counts: ScanCounts
) extends AutoCloseable {

  def version: FileVersion = contents.version

  /** Number of rows that the file records. Where the manifest has a number, that one counts. */
  def numRows: Long = contents.numRows

  /** The columns as they were called when the file was written. */
  def schema: LanceSchema = contents.schema

  /** The number of a column in this file. A file of version 0.1 counts from the id that its first field had
    * when it was written.
    *
    * @param first
    *   the id that the field has now
    */
  def column(number: Int, first: Option[Int]): Int = contents.column(number, first)

  /** Reads the metadata of columns, so that it is there when they are read. */
  def load(columns: Vector[ColumnRequest]): Unit = contents.load(columns)

  /** Reads `rows` of some columns, all of which must have `expectedRows`. */
  def scan(columns: Vector[ColumnRequest], rows: RowRange, expectedRows: Long): FileScan =
    scan(columns, RowRanges(rows), expectedRows)

  /** Reads several ranges of rows. */
  def scan(columns: Vector[ColumnRequest], rows: RowRanges, expectedRows: Long): FileScan =
    scan(columns, rows, expectedRows, new ReadAhead(ReadBudget.whole(io)))

  /** @param ahead may own the read-ahead of other files, too */
  def scan(
      columns: Vector[ColumnRequest],
      rows: RowRanges,
      expectedRows: Long,
      ahead: ReadAhead
  ): FileScan = {
    val wanted = rows.intersect(RowRange(0, expectedRows))
    val reads = bytes(columns, ahead)
    new FileScan(planned(columns, expectedRows, reads).map(cursor(_, wanted, expectedRows, reads)), wanted)
  }

  /** Reads rows of some columns that are `chosen` among `rows` as the scan goes on. None of the leaves is in
    * fixed-size lists.
    */
  def select(
      columns: Vector[ColumnRequest],
      rows: RowRanges,
      expectedRows: Long,
      chosen: ChosenRows,
      ahead: ReadAhead
  ): FileSelection = {
    val wanted = rows.intersect(RowRange(0, expectedRows))
    val reads = bytes(columns, ahead)
    new FileSelection(planned(columns, expectedRows, reads).map { column =>
      if (column.isNestedArrays) {
        val all = cursor(column, RowRanges(wanted.hull), expectedRows, reads)
        new DecodedRowSelector(chosen, all, wanted.start)
      } else selector(column, wanted, chosen, reads)
    })
  }

  private def selector(
      column: PlannedColumn,
      wanted: RowRanges,
      chosen: ChosenRows,
      bytes: FileBytes
  ): RowSelector = {
    val values = new LeafColumn(column.request.leaf)
    def plan = FilePlan.pages(column.stored.values, wanted)
    def decoder(page: PlannedPage) = page.decoder(values.leaf, values.shape, version)
    counts.plannedPages(FilePlan.pagesBetween(column.stored.values, wanted))
    import bytes.{ahead, fetcher}
    def largest = () => ahead.wholePageBytes
    val reads =
      new SelectedReads(column.location, plan, decoder, chosen, fetcher, largest, ahead.isAhead)
    if (ahead.isAhead) ahead.add(reads)
    new ColumnSelector(values, reads)
  }

  private def bytes(columns: Vector[ColumnRequest], ahead: ReadAhead): FileBytes =
    new FileBytes(new Fetcher(file, io, ahead.budget, columns.size, counts), ahead)

  /** Returns the buffers that a column has besides its pages. */
  def columnBuffers(column: ColumnRequest): Vector[Slice] =
    contents.columnBuffers(column, FileReader.MaxColumnBufferBytes)

  /** Reads the global buffers together, unless they have more than `maxBytes`, so that they are there when
    * asked for.
    */
  def loadGlobals(maxBytes: Long): Unit = contents.loadGlobals(maxBytes)

  /** Returns a global buffer of at most `maxBytes`, by its number; 0 is the schema's. */
  def globalBuffer(number: Int, maxBytes: Long): Slice = contents.globalBuffer(number, maxBytes)

  /** The pages of columns, of which nothing is decoded. */
  def pages(columns: Vector[ColumnRequest]): Vector[Vector[StoredPage]] = {
    val reads = bytes(columns, new ReadAhead(ReadBudget.whole(io)))
    contents.columns(columns, reads.onDemand).zip(columns).map { case (stored, column) =>
      stored.last.pages.map(StoredPage.of(_, column.leaf.field))
    }
  }

  /** The stored form of columns, for copies of their pages. */
  def stored(columns: Vector[ColumnRequest]): Vector[ColumnMetadata] = {
    val reads = bytes(columns, new ReadAhead(ReadBudget.whole(io)))
    contents.columns(columns, reads.onDemand).map(_.last)
  }

  /** Reads bytes of the file. */
  def read(range: ByteRange): Slice = {
    ReadableFile.check(file, range)
    val bytes = new Array[Byte](range.length.toInt)
    ScheduledFile.of(file, io).read(range, bytes, 0)
    Slice(bytes)
  }

  /** The metadata of columns, which must have `expectedRows`. */
  private def planned(
      columns: Vector[ColumnRequest],
      expectedRows: Long,
      reads: FileBytes
  ): Vector[PlannedColumn] =
    columns.zip(contents.columns(columns, reads.onDemand)).map { case (request, own) =>
      val location = FileContents.location(file, Some(request))
      val content = contentOf(request, own.last, reads)
      val nested = listsHaveColumns && request.leaf.around.nonEmpty || content.isDefined
      val expected = Math.multiplyExact(expectedRows, request.leaf.rowsPerRow.toLong)
      if (!nested && own.last.rows != expected)
        throw new LanceFormatException(
          s"a column of ${own.last.rows} rows where $expected are expected",
          location
        )
      PlannedColumn(request, LeafColumns(own.init, own.last, content), nested, location)
    }

  /** Returns the bytes of strings that are stored as lists of them. */
  private def contentOf(
      request: ColumnRequest,
      values: ColumnMetadata,
      reads: FileBytes
  ): Option[ColumnMetadata] = Option.when(ByteLists.areIn(request.leaf, values)) {
    val next = ColumnRequest(request.columnIndex + 1, request.leaf)
    contents.columns(Vector(next), reads.onDemand).head.last
  }

  private def cursor(
      column: PlannedColumn,
      wanted: RowRanges,
      expectedRows: Long,
      reads: FileBytes
  ): RowCursor = LanceFormatException.locating(column.location) {
    import column.{location, request}
    if (column.isNestedArrays)
      new NestedArrays(location, request.leaf, column.stored, version, reads.onDemand)
        .cursor(wanted, expectedRows)
    else {
      val items = request.leaf.rowsPerRow
      def plan = FilePlan.pages(column.stored.values, wanted.times(items))
      val cursor =
        new ColumnCursor(location, plan, request.leaf, version, reads.ofRows(items), request.chunkFilter)
      if (items == 1) cursor else new FixedSizeListCursor(location, cursor, items)
    }
  }

  /** Ends all scans. */
  def close(): Unit =
    try io.close()
    finally file.close()

  private def listsHaveColumns: Boolean = version match {
    case FileVersion.V0_1 | FileVersion.V2_0 => true
    case FileVersion.V2_1 | FileVersion.V2_2 => false
  }
}

/** A wanted column and the pages to read.
  *
  * @param isNestedArrays
  *   whether structs and lists around it, or its bytes, have columns of their own
  */
final private case class PlannedColumn(
    request: ColumnRequest,
    stored: LeafColumns,
    isNestedArrays: Boolean,
    location: Location
)

private[sparklance] object FileReader {

  /** More is not worth reading before any value is. */
  final private val MaxColumnBufferBytes = 32L << 20

  /** @param knownSize the file's size, where a manifest tells it */
  def open(store: ObjectStore, path: String, knownSize: Option[Long]): FileReader =
    open(store, path, knownSize, IoScheduler.shared.client(store.profile), new ScanCounts)

  /** @param io
    *   of the task for which the file is read; it is closed with the file
    * @param counts
    *   of the task
    */
  def open(
      store: ObjectStore,
      path: String,
      knownSize: Option[Long],
      io: IoClient,
      counts: ScanCounts
  ): FileReader =
    LanceFormatException.locating(Location(file = Some(path))) {
      io.profile.metadataCache.foreach(MetadataCache.shared.limit)
      val file = store.open(path, knownSize)
      Closing.ifFailed(file) {
        val metadata = ScheduledFile.of(file, io)
        val tail = FileTail.read(metadata, MetadataCache.shared, counts)
        new FileReader(TailedFile.of(file, tail), FileContents.open(metadata, tail), io, counts)
      }
    }
}
