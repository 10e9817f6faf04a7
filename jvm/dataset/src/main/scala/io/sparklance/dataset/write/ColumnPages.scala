package io.sparklance.dataset.write

import io.sparklance.data.Column
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.schema.LanceSchema
import io.sparklance.table.WriteId

/** Makes pages of the values that columns buffer: one of each buffer or, if the buffers are much smaller than
  * pages should be, one of many buffers, which wait in a temporary local file. Blobs never wait.
  *
  * @param mark
  *   of the write, for the file's name
  * @param write
  *   writes a page of a column, given its first row
  */
final private class ColumnPages(
    schema: LanceSchema,
    columns: Vector[Column],
    format: DataFileFormat,
    mark: WriteId,
    write: (Int, Column, Long) => Unit
) extends AutoCloseable {
  private var spilled = Option.empty[SpilledColumns]
  private val waits = schema.fields.map(field => !field.preOrder.exists(_.isBlob)).toArray
  private val firstRows = new Array[Long](columns.size)
  private var runts = 0L

  /** Number of pages that are much smaller than pages should be, because columns have no larger buffers. */
  def runtPages: Long = runts

  def bytesWaiting: Long = spilled.fold(0L)(_.bytes)

  /** Takes the values of column `i`. The caller clears it.
    *
    * @param isLast
    *   whether the column has no further values
    */
  def add(i: Int, isLast: Boolean): Unit = format.pageBytes match {
    case Some(pageBytes) if waits(i) && !(isLast && !spilled.exists(_.has(i))) => hold(i, pageBytes)
    case _ =>
      if (!isLast && size(i) < ColumnPages.RuntBytes) runts += 1
      writePage(i, columns(i))
  }

  private def hold(i: Int, pageBytes: Long): Unit = {
    val spill = spilled.getOrElse(new SpilledColumns(columns.size, mark))
    spilled = Some(spill)
    val bytes = size(i)
    if (bytes >= pageBytes) {
      writeSpilled(spill, i, LeafColumn.ofNulls(schema.fields(i)))
      writePage(i, columns(i))
    } else {
      spill.add(i, columns(i), bytes)
      columns(i).clear()
      if (spill.pageBytes(i) >= pageBytes) writeSpilled(spill, i, columns(i))
    }
  }

  private def size(i: Int): Long = FragmentWriter.largestLeaf(columns(i).values)

  /** Writes all values that wait. */
  def finish(): Unit = {
    spilled.foreach { spill =>
      columns.indices.foreach { i =>
        writeSpilled(spill, i, columns(i))
        columns(i).release(0)
      }
    }
    close()
  }

  override def close(): Unit = spilled.foreach(_.close())

  /** @param page an empty column, for the values */
  private def writeSpilled(spill: SpilledColumns, i: Int, page: Column): Unit = if (spill.has(i)) {
    spill.take(i, page)
    writePage(i, page)
    page.clear()
  }

  private def writePage(i: Int, page: Column): Unit = {
    write(i, page, firstRows(i))
    firstRows(i) += page.length
  }
}

private object ColumnPages {
  final private val RuntBytes = FragmentWriter.DefaultPageBytes / 32
}
