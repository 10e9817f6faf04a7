package io.sparklance.spark.rowlevel

import org.apache.spark.sql.catalyst.InternalRow

import io.sparklance.dataset.backfill.{ChangeCost, FilledFragment, FragmentColumns, HeldRows}
import io.sparklance.dataset.snapshot.RowAddress
import io.sparklance.spark.errors.SparkErrors
import io.sparklance.spark.write.{RowAppenders, WrittenSoFar}

/** Writes columns of changed rows: one file for each fragment, in which its other rows have their old values.
  * Rows come fragment by fragment, in ascending order of addresses.
  *
  * @param mover
  *   writes the rows of a fragment with all columns, where that is cheaper; None if it never is to
  */
final private[rowlevel] class ColumnRows(spec: ColumnsSpec, mover: Option[RowMover]) {
  private val store = spec.location.store
  private val ordinals = spec.ordinals.toArray
  private val fields = spec.format.columns.fields
  private var finished = Vector.empty[FilledFragment]
  private var fragment = -1L
  private var last = -1L

  // The file of the fragment, or its rows until it is known whether they go into one.
  private var file: FragmentColumns = _
  private var held: HeldRows = _
  private var appenders: RowAppenders = _
  private var cost: ChangeCost = _
  private var moves = false

  /** @param id
    *   stable id of the row, if rows keep one
    */
  def append(address: Long, id: Long, row: InternalRow): Unit = {
    val offset = RowAddress.offset(address)
    if (RowAddress.fragment(address) != fragment) {
      finish()
      open(RowAddress.fragment(address))
    }
    if (offset <= last) throw SparkErrors.translated(RowLevelCommit.ambiguous)
    last = offset
    if (file != null) fill(offset, row) else hold(offset, id, row)
  }

  private def fill(offset: Long, row: InternalRow): Unit = {
    file.skipTo(offset)
    appenders.append(row)
    file.rowsWritten(1)
  }

  private def hold(offset: Long, id: Long, row: InternalRow): Unit = {
    appenders.append(row)
    held.add(offset, id)
    if (!moves && held.count > cost.mostMoved) fillAll()
    else if (held.count % ColumnRows.RowsBetweenChecks == 0 && held.bytes > ColumnRows.MostHeld)
      if (!moves && cost.prefersColumns(held.count.toLong, offset + 1)) fillAll()
      else {
        moves = true
        move()
        holdNone()
      }
  }

  private def fillAll(): Unit = {
    val rows = held
    openFile()
    rows.fill(file)
  }

  private def move(): Unit = mover.foreach(_.move(fragment, held))

  /** Finishes the last file, and returns all. */
  def files(): Vector[FilledFragment] = {
    finish()
    finished
  }

  def abort(): Unit = {
    if (file != null) file.abort()
    file = null
  }

  def written: WrittenSoFar = {
    val open = Option(file)
    WrittenSoFar(
      finished.map(_.file.rows).sum + open.fold(0L)(_.next),
      finished.map(_.file.sizeBytes).sum + open.fold(0L)(_.bytesWritten),
      finished.size.toLong + open.size
    )
  }

  private def open(id: Long): Unit = {
    fragment = id
    last = -1
    moves = false
    mover match {
      case Some(mover) =>
        cost = mover.cost(spec.tasks(id))
        if (cost.mostMoved > 0) holdNone() else openFile()
      case None => openFile()
    }
  }

  private def holdNone(): Unit = {
    held = new HeldRows(spec.format.columns)
    appenders = new RowAppenders(fields, held.columns, ordinals, ColumnRows.noBlobs)
  }

  private def openFile(): Unit = {
    held = null
    file = new FragmentColumns(store, spec.location.root, spec.tasks(fragment), spec.format)
    appenders = new RowAppenders(fields, file.columns, ordinals, file.blobs)
  }

  private def finish(): Unit = {
    if (file != null) finished :+= file.finish()
    else if (held != null) move()
    file = null
    held = null
  }
}

private object ColumnRows {
  final private val RowsBetweenChecks = 64

  /** Bytes of rows that are held before a guess decides how they are written. */
  final private val MostHeld = 32L << 20

  private def noBlobs(field: io.sparklance.schema.Field, column: io.sparklance.data.Column) =
    throw new IllegalStateException(s"column '${field.name}' of blobs (${column.length} rows) is held")
}
