package io.sparklance.dataset

import io.sparklance.LanceFormatException
import io.sparklance.data.{Column, RowRange}
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.file.{ColumnRequest, FileReader, FileScan}
import io.sparklance.io.ObjectStore
import io.sparklance.schema.Field
import io.sparklance.table.deletion.{DeletionFiles, DeletionVector}

/** Reads the live rows of a [[FragmentTask]] in batches: columns of the fragment's data files side by side, nulls for fields
  * that no file has, without the rows that the deletion file names.
  *
  * @param batchRows physical rows looked at for one batch, at most; fewer are if their values are large
  */
final class FragmentReader(store: ObjectStore, task: FragmentTask, batchRows: Int) extends AutoCloseable {
  require(batchRows > 0, s"batches of $batchRows rows")

  private val rows = task.rows.intersect(RowRange(0, task.physicalRows))
  private val deleted: Option[DeletionVector] = task.deletion.map { source =>
    DeletionFiles.read(store, source.path, source.kind, task.physicalRows, Some(source.rows))
  }
  private val livePositions = new Array[Int](if (deleted.isEmpty) 0 else batchRows)

  private val sources: Vector[Option[FileSource]] =
    task.projection.map(f => task.files.find(_.columnOf(f.id).isDefined))
  private val missing: Vector[Option[Column]] = task.projection.zip(sources).map { case (field, source) =>
    Option.when(source.isEmpty)(FragmentReader.nullsOf(field))
  }
  // Last of all that may fail, so that no file stays open then.
  private val files: Vector[OpenFile] = openFiles()
  private var nextRow = rows.start
  private var count = 0

  /** One for each field of the projection. The first [[rowCount]] values are the batch's; those behind belong to later
    * batches. Valid until the next call of [[next]].
    */
  val columns: Vector[Column] = task.projection.zip(sources).zip(missing).map {
    case ((field, source), nulls) =>
      nulls.getOrElse(files(files.indexWhere(f => source.contains(f.source))).column(field))
  }

  def rowCount: Int = count

  /** Moves to the next batch; false at the end. A batch has at least one row. */
  def next(): Boolean = {
    columns.foreach(_.discardHead(count))
    count = 0
    while (count == 0 && nextRow < rows.end)
      count = read(math.min(batchRows.toLong, rows.end - nextRow).toInt)
    count > 0
  }

  def close(): Unit = files.foreach(_.reader.close())

  /** Decodes some of the next `wanted` rows and says how many are left when the deleted ones are gone. */
  private def read(wanted: Int): Int = {
    val physical = files.foldLeft(wanted)((rows, file) => file.scan.fill(rows))
    files.foreach(_.scan.advance(physical))
    missing.flatten.foreach(_.appendNulls(physical))
    val live = deleted.fold(physical)(_.livePositions(nextRow, physical, livePositions))
    if (live < physical) columns.foreach(_.retain(livePositions, live, physical))
    nextRow += physical
    live
  }

  private def openFiles(): Vector[OpenFile] = {
    val opened = Vector.newBuilder[OpenFile]
    try {
      sources.flatten.distinct.foreach { source =>
        val fields = task.projection.zip(sources).collect { case (field, Some(`source`)) => field }
        opened += OpenFile.open(store, source, fields, rows, task.physicalRows)
      }
      opened.result()
    } catch {
      case e: Throwable =>
        opened.result().foreach(_.reader.close())
        throw e
    }
  }
}

private object FragmentReader {
  private def nullsOf(field: Field): Column = {
    val column = Column.forShape(PrimitiveField.shapeOf(field))
    if (!field.nullable)
      throw new LanceFormatException(
        s"no data file has column '${field.name}', and nulls cannot stand for it, as its schema says"
      )
    column
  }
}

/** @param fields those that are read from this file */
final private class OpenFile(
    val source: FileSource,
    val reader: FileReader,
    val scan: FileScan,
    fields: Vector[Field]
) {
  def column(field: Field): Column = scan.columns(fields.indexOf(field))
}

private object OpenFile {
  def open(
      store: ObjectStore,
      source: FileSource,
      fields: Vector[Field],
      rows: RowRange,
      physicalRows: Long
  ): OpenFile = {
    val reader = FileReader.open(store, source.path, source.size)
    try {
      val requests =
        for (field <- fields; column <- source.columnOf(field.id)) yield ColumnRequest(column, field)
      new OpenFile(source, reader, reader.scan(requests, rows, physicalRows), fields)
    } catch {
      case e: Throwable =>
        reader.close()
        throw e
    }
  }
}
