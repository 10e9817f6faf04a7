package io.sparklance.dataset

import io.sparklance.data.{Column, RowRange, RowRanges}
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.file.{ColumnRequest, FileColumns, FileReader, FileScan}
import io.sparklance.io.{IoClient, IoScheduler, IoStats, ObjectStore}
import io.sparklance.schema.{Field, Leaf, LogicalType, LogicalTypes}
import io.sparklance.table.deletion.{DeletionFiles, DeletionVector}
import io.sparklance.table.rowid.RowIdSequence
import io.sparklance.{LanceFormatException, Location, UnsupportedLanceFeatureException}

/** Reads the live rows of a [[FragmentTask]] in batches: columns of the fragment's data files side by side, nulls for fields
  * that no file has, without the rows that the deletion file names.
  *
  * @param batchRows physical rows looked at for one batch, at most; fewer are if their values are large
  */
final class FragmentReader(store: ObjectStore, task: FragmentTask, batchRows: Int) extends AutoCloseable {
  require(batchRows > 0, s"batches of $batchRows rows")

  private val rows = task.rows.intersect(RowRange(0, task.physicalRows))
  private val stored = task.projection.filter(MetadataColumn.of(_).isEmpty)
  private val deleted: Option[DeletionVector] = task.deletion.map { source =>
    DeletionFiles.read(store, source.path, source.kind, task.physicalRows, source.rows)
  }
  private val io = IoScheduler.shared.client(store.profile)
  private val rowIds = task.rowIds.map(bytes => RowIdSequence.parse(bytes.toArray, task.physicalRows))
  private val live = new LiveRows(rows, deleted, batchRows)

  private val leaves: Vector[SourcedLeaf] = (stored ++ task.witnesses).flatMap(FragmentReader.leaves(task, _))
  private val missing: Map[Int, Column] = FragmentReader.missing(task, stored, leaves.map(_.leaf))
  private val emptyStructs: Vector[LeafPart] =
    leaves.filter(_.leaf.isEmpty).map(l => LeafPart(l.leaf, l.source, LeafColumn.ofEmptyStructs(l.leaf)))
  // Last of all that may fail, so that no file stays open then.
  private val files: Vector[OpenFile] = openFiles()
  private val parts: Vector[LeafPart] = files.flatMap(_.parts) ++ emptyStructs
  private val makers: Vector[BatchColumn] = task.projection.map { field =>
    MetadataColumn.of(field).fold[BatchColumn](
      new ColumnAssembly(field, parts.filter(_.leaf.root.id == field.id), missing)
    )(new MetadataValues(_, task.fragmentId, live, rowIds))
  }
  private var made: Vector[Column] = Vector.empty
  private var count = 0

  /** One for each field of the projection. The first [[rowCount]] values are the batch's; those behind belong to later
    * batches. Valid until the next call of [[next]].
    */
  def columns: Vector[Column] = made

  def rowCount: Int = count

  /** Where in the fragment a row of the batch stands, deleted rows counted. */
  def position(row: Int): Long = live.offset(row)

  /** Moves to the next batch; false at the end. A batch has at least one row. */
  def next(): Boolean = {
    parts.foreach(_.discardHead(count))
    count = 0
    while (count == 0 && live.remaining > 0)
      count = read(math.min(batchRows.toLong, live.remaining).toInt)
    made = makers.zip(task.projection).map { case (maker, field) =>
      LanceFormatException.locating(location(field))(maker.column(count))
    }
    count > 0
  }

  /** What was read from the store so far, but for footers and such. */
  def ioStats: IoStats = io.stats

  def close(): Unit = files.foreach(_.reader.close())

  /** Of a column whose leaves may come from several files. */
  private def location(field: Field): Location = {
    val paths = leaves.filter(_.leaf.root.id == field.id).map(_.source.path).distinct
    Location(file = paths.headOption.filter(_ => paths.size == 1), column = Some(field.name))
  }

  /** Decodes some of the next `wanted` rows and says how many are left when the deleted ones are gone. */
  private def read(wanted: Int): Int = {
    val physical = files.foldLeft(wanted)((rows, file) => file.scan.fill(rows))
    files.foreach(_.scan.advance(physical))
    emptyStructs.foreach(p => LeafColumn.appendStructs(p.column, physical - p.column.length))
    val kept = live.advance(physical)
    if (kept < physical) parts.foreach(_.retain(live.positions, kept, physical))
    kept
  }

  private def openFiles(): Vector[OpenFile] = {
    val opened = Vector.newBuilder[OpenFile]
    try {
      leaves.filterNot(_.leaf.isEmpty).groupMap(_.source)(_.leaf).foreach { case (source, leaves) =>
        opened += OpenFile.open(store, io, source, leaves, rows, task.physicalRows)
      }
      opened.result()
    } catch {
      case e: Throwable =>
        opened.result().foreach(_.reader.close())
        throw e
    }
  }
}

/** A leaf, and the file that has it. */
final private case class SourcedLeaf(leaf: Leaf, source: FileSource)

private object FragmentReader {
  private def leaves(task: FragmentTask, field: Field): Vector[SourcedLeaf] =
    for {
      leaf <- FileColumns.leaves(field)
      source <- task.files.find(_.columnOf(leaf.field.id).isDefined)
    } yield SourcedLeaf(leaf, source)

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

/** @param leaves those that are read from this file */
final private class OpenFile(
    val source: FileSource,
    val reader: FileReader,
    val scan: FileScan,
    leaves: Vector[Leaf]
) {
  def parts: Vector[LeafPart] = leaves.zip(scan.columns).map { case (leaf, column) =>
    LeafPart(leaf, source, column)
  }
}

private object OpenFile {
  private def isList(field: Field): Boolean = field.logicalType match {
    case LogicalType.List(_, _) | LogicalType.Map => true
    case _ => false
  }

  def open(
      store: ObjectStore,
      io: IoClient,
      source: FileSource,
      leaves: Vector[Leaf],
      rows: RowRanges,
      physicalRows: Long
  ): OpenFile = {
    val reader = FileReader.open(store, source.path, source.size, io)
    try {
      val requests =
        for (leaf <- leaves; column <- source.columnOf(leaf.field.id))
          yield ColumnRequest(column, leaf, leaf.around.filter(isList).flatMap(f => source.columnOf(f.id)))
      new OpenFile(source, reader, reader.scan(requests, rows, physicalRows), leaves)
    } catch {
      case e: Throwable =>
        reader.close()
        throw e
    }
  }
}
