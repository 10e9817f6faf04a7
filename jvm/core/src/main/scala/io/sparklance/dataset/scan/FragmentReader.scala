package io.sparklance.dataset.scan

import io.sparklance.data.{Column, RowRange, RowRanges, StructBlock}
import io.sparklance.dataset.order.TopBound
import io.sparklance.dataset.predicate.{LeafValues, Predicate, RowFilter, ValueSieve}
import io.sparklance.dataset.snapshot.{HiddenColumn, MetadataColumn}
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.file.{ColumnRequest, FileColumns, FileReader, FileScan, FileSelection, ScanCounts, Sieve}
import io.sparklance.io.{Closing, IoScheduler, ObjectStore}
import io.sparklance.schema.{Field, Leaf, LogicalType, LogicalTypes}
import io.sparklance.table.deletion.{DeletionFiles, DeletionVector}
import io.sparklance.{LanceFormatException, Location, UnsupportedLanceFeatureException}

/** Reads the live rows of a [[FragmentTask]] that its predicate lets through, in batches: columns of the fragment's data files
  * side by side, nulls for fields that no file has, without the rows that the deletion file names.
  *
  * @param batchRows physical rows looked at for one batch, at most; fewer are if their values are large
  * @param top leaves out rows that are not among the first of an order, and learns from others
  */
final class FragmentReader private[dataset] (
    store: ObjectStore,
    task: FragmentTask,
    batchRows: Int,
    top: Option[TopBound]
) extends AutoCloseable {
  def this(store: ObjectStore, task: FragmentTask, batchRows: Int) = this(store, task, batchRows, None)

  require(batchRows > 0, s"batches of $batchRows rows")

  private val wanted = task.rows.intersect(RowRange(0, task.physicalRows))
  private val stored = task.projection.filter(MetadataColumn.of(_).isEmpty)
  private val deleted: Option[DeletionVector] = task.deletion.map { source =>
    DeletionFiles.read(store, source.path, source.kind, task.physicalRows, source.rows)
  }
  private val io = IoScheduler.shared.client(store.profile)
  private val counts = new ScanCounts
  private val numbered = task.numbered.getOrElse(RowRange(0, task.physicalRows))
  private val numbers = task.numbers.map(source => source.column -> source.parse(numbered.length)).toMap

  private val stages = FilterStages.of(task.predicate, top.map(_.order))
  private val leaves: Vector[SourcedLeaf] =
    FragmentReader.leaves(task, stored ++ task.hidden.map(_.field), stages)
  private val missing: Map[Int, Column] = FragmentReader.missing(task, stored, leaves.map(_.leaf))
  private val missingTested: Map[Int, Column] = FragmentReader.missingTested(stages, leaves, batchRows)
  private val emptyStructs: Vector[LeafPart] =
    leaves.filter(_.leaf.isEmpty).map(l => LeafPart(l.leaf, l.source, LeafColumn.ofEmptyStructs(l.leaf)))
  // Last of all that may fail, so that no file stays open then.
  private val readers = new FileReaders(store, io, counts)
  private val (rows: RowRanges, files: Vector[OpenFile]) = openFiles()
  // Of small fragments there may be many.
  private val room = math.min(batchRows.toLong, rows.count).toInt
  private val live = new LiveRows(rows, deleted, room)
  private val parts: Vector[LeafPart] = files.flatMap(_.parts) ++ emptyStructs
  private val makers: Vector[BatchColumn] = task.projection.map { field =>
    MetadataColumn.of(field).fold(assembly(field))(metadata)
  }
  private val tested: Leaf => LeafValues = testedValues
  private val topStage: Option[TopStage] =
    top.map(bound => new TopStage(bound, tested(bound.order.leaf), room))
  private val batch: BatchRows = new BatchRows(
    Streamed(files.map(_.streamed), files.flatMap(_.streamedParts), emptyStructs),
    FragmentReader.filter(stages.first),
    files.map(_.tested),
    FragmentReader.filter(stages.second),
    topStage,
    files.map(_.rest),
    tested,
    live,
    room
  )
  private var made: Vector[Column] = Vector.empty
  private var brought = 0L

  /** Rows that are not deleted, and were left out before anything was read. */
  private lazy val rowsSkipped: Long = if (rows == wanted) 0
  else {
    val skipped = wanted.intersect(rows.complement)
    skipped.count - deleted.fold(0L)(vector => skipped.ranges.iterator.map(vector.deletedIn).sum)
  }

  /** One for each field of the projection. The first [[rowCount]] values are the batch's; those behind belong to later
    * batches. Valid until the next call of [[next]].
    */
  def columns: Vector[Column] = made

  def rowCount: Int = batch.rowCount

  /** Where in the fragment a row of the batch stands, all physical rows counted. */
  def position(row: Int): Long = live.offset(row)

  /** Moves to the next batch; false at the end. A batch has at least one row. */
  def next(): Boolean = {
    do batch.read(math.min(room.toLong, live.remaining).toInt)
    while (rowCount == 0 && live.remaining > 0)
    brought += rowCount
    made = makers.zip(task.projection).map { case (maker, field) =>
      LanceFormatException.locating(location(field))(maker.column(rowCount))
    }
    rowCount > 0
  }

  /** So far. */
  def stats: ReadStats = ReadStats(
    io.stats,
    counts.pagesRead,
    counts.pagesSkipped,
    counts.cacheHits,
    counts.cacheMisses,
    rowsSkipped,
    rowsFiltered = if (stages.areSelective) rowsSkipped + live.seen - brought else 0,
    rowsBelowTop = topStage.fold(0L)(_.dropped)
  )

  def close(): Unit = readers.close()

  private def assembly(field: Field): BatchColumn =
    new ColumnAssembly(field, parts.filter(_.leaf.root.id == field.id), missing)

  private def metadata(column: MetadataColumn): BatchColumn = hiddenOf(column) match {
    case Some(hidden) => new HiddenValues(hidden, assembly(hidden.field))
    case None => new MetadataValues(column, task.fragmentId, live, numbers.get(column), numbered.start)
  }

  private def hiddenOf(column: MetadataColumn): Option[HiddenColumn] = task.hidden.find(_.shows == column)

  /** Of a column whose leaves may come from several files. */
  private def location(field: Field): Location = {
    val id = MetadataColumn.of(field).flatMap(hiddenOf).fold(field)(_.field).id
    val paths = leaves.filter(_.leaf.root.id == id).map(_.source.path).distinct
    Location(file = paths.headOption.filter(_ => paths.size == 1), column = Some(field.name))
  }

  /** What the filters see. Columns stay the same from batch to batch. */
  private def testedValues: Leaf => LeafValues = {
    val columns = parts.map(p => p.leaf.field.id -> p.column).toMap ++ missingTested
    val values =
      stages.leaves.map(leaf => leaf.field.id -> FragmentReader.valuesOf(columns(leaf.field.id))).toMap
    leaf => values(leaf.field.id)
  }

  /** The rows of which statistics do not say that they are not wanted, and the files to read them from. */
  private def openFiles(): (RowRanges, Vector[OpenFile]) =
    try {
      val rows = new SkippedZones(task, deleted, readers).narrow(wanted, top)
      val files = leaves.filterNot(_.leaf.isEmpty).groupMap(_.source)(_.leaf).map { case (source, leaves) =>
        OpenFile.open(readers.of(source), source, new StagedLeaves(leaves, stages), rows, task.physicalRows)
      }
      (rows, files.toVector)
    } catch {
      case e: Throwable =>
        Closing.after(e, Vector(readers))
        throw e
    }
}

/** A leaf, and the file that has it. */
final private case class SourcedLeaf(leaf: Leaf, source: FileSource)

private[dataset] object FragmentReader {

  /** What is read, for the projection or to find the rows. */
  private def leaves(
      task: FragmentTask,
      projection: Vector[Field],
      stages: FilterStages
  ): Vector[SourcedLeaf] = {
    val projected = (projection ++ task.witnesses).flatMap(FileColumns.leaves)
    for {
      leaf <- (projected ++ stages.leaves).distinctBy(_.field.id)
      source <- task.files.find(_.columnOf(leaf.field.id).isDefined)
    } yield SourcedLeaf(leaf, source)
  }

  private def filter(predicate: Predicate): Option[RowFilter] =
    Option.when(predicate != Predicate.Always)(new RowFilter(predicate))

  /** Nulls for the leaves that filters see and no file has, by their ids. */
  private def missingTested(
      stages: FilterStages,
      stored: Vector[SourcedLeaf],
      batchRows: Int
  ): Map[Int, Column] = {
    val present = stored.map(_.leaf.field.id).toSet
    stages.leaves.map(_.field).filterNot(f => present(f.id)).map { field =>
      val column = nullsOf(field)
      column.appendNulls(batchRows)
      field.id -> column
    }.toMap
  }

  /** Of a leaf's column, with all that is around it. */
  def valuesOf(column: Column): LeafValues = column.values match {
    case structs: StructBlock =>
      val inside = valuesOf(structs.children.head)
      inside.copy(nulls = column.nulls +: inside.nulls)
    case values => LeafValues(values, Vector(column.nulls))
  }

  /** Columns for the fields of which no leaf is stored, by their ids. */
  private def missing(
      task: FragmentTask,
      projection: Vector[Field],
      stored: Vector[Leaf]
  ): Map[Int, Column] = {
    val present = stored.flatMap(leaf => leaf.around ++ leaf.field.preOrder).map(_.id).toSet
    def within(field: Field): Vector[Field] =
      if (present(field.id)) field.children.flatMap(within)
      else {
        task.files.find(_.columnOf(field.id).isDefined).foreach(refuseInOne(field, _))
        Vector(field)
      }
    projection.flatMap(within).map(field => field.id -> nullsOf(field)).toMap
  }

  /** Only what has no fields inside, and packed structs, are stored as one column. */
  private def refuseInOne(field: Field, source: FileSource): Unit =
    throw new UnsupportedLanceFeatureException(
      s"type ${LogicalTypes.print(field.logicalType)} in one column",
      Location(file = Some(source.path), column = Some(field.name))
    )

  private def nullsOf(field: Field): Column =
    LanceFormatException.locating(Location(column = Some(field.name))) {
      val column = LeafColumn.ofNulls(field)
      if (!field.nullable)
        throw new LanceFormatException(
          s"no data file has column '${field.name}', and nulls cannot stand for it, as its schema says"
        )
      column
    }
}

/** The leaves that are read from a file, by when they are: those that all rows are asked for, or all if all rows are wanted;
  * those of the second filter; and the rest. Leaves in fixed-size lists, which have several values for each row, are among the first.
  */
final private class StagedLeaves(leaves: Vector[Leaf], stages: FilterStages) {
  private val first = stages.streamed.map(_.field.id).toSet
  private val second = stages.second.leaves.map(_.field.id).toSet

  val streamed: Vector[Leaf] =
    if (stages.areSelective) leaves.filter(l => first(l.field.id) || l.rowsPerRow != 1) else leaves
  val tested: Vector[Leaf] =
    if (stages.areSelective) leaves.filter(l => second(l.field.id)) else Vector.empty
  val rest: Vector[Leaf] = leaves.diff(streamed).diff(tested)

  /** What the first filter alone demands of a leaf's values. */
  def sieve(leaf: Leaf): Option[Sieve] =
    ValueSieve.of(stages.first, leaf).filter(_ => leaf.rowsPerRow == 1).map(s => values => s.mayPass(values))
}

final private class OpenFile(
    source: FileSource,
    leaves: StagedLeaves,
    val streamed: FileScan,
    val tested: FileSelection,
    val rest: FileSelection
) {
  val streamedParts: Vector[LeafPart] = parts(leaves.streamed, streamed.columns)

  def parts: Vector[LeafPart] =
    streamedParts ++ parts(leaves.tested, tested.columns) ++ parts(leaves.rest, rest.columns)

  private def parts(leaves: Vector[Leaf], columns: Vector[Column]): Vector[LeafPart] =
    leaves.zip(columns).map { case (leaf, column) => LeafPart(leaf, source, column) }
}

private object OpenFile {
  private def isList(field: Field): Boolean = field.logicalType match {
    case LogicalType.List(_, _) | LogicalType.Map => true
    case _ => false
  }

  def open(
      reader: FileReader,
      source: FileSource,
      leaves: StagedLeaves,
      rows: RowRanges,
      physicalRows: Long
  ): OpenFile = {
    def requests(leaves: Vector[Leaf]): Vector[ColumnRequest] =
      for (leaf <- leaves; column <- columnOf(leaf.field))
        yield ColumnRequest(column, leaf, leaf.around.filter(isList).flatMap(columnOf))
    def columnOf(field: Field): Option[Int] =
      source.columnOf(field.id).map(reader.column(_, source.firstFieldId))
    def sieved(request: ColumnRequest): ColumnRequest = request.copy(sieve = leaves.sieve(request.leaf))
    new OpenFile(
      source,
      leaves,
      reader.scan(requests(leaves.streamed).map(sieved), rows, physicalRows),
      reader.select(requests(leaves.tested), rows, physicalRows),
      reader.select(requests(leaves.rest), rows, physicalRows)
    )
  }
}
