package io.sparklance.dataset.schemachange

import scala.util.Using

import io.sparklance.data.FileVersion
import io.sparklance.dataset.scan.{FragmentReader, FragmentTask}
import io.sparklance.dataset.snapshot.DeletionSource
import io.sparklance.dataset.write.{FileLimits, FragmentWriter, RewriteSettings, WrittenFile}
import io.sparklance.io.{Closing, ObjectStore}
import io.sparklance.schema.LanceSchema
import io.sparklance.table.WriteId
import io.sparklance.table.deletion.{DeletionFiles, DeletionVector}

/** Writes columns of a fragment with other types. All rows get a value; that of a deleted row is arbitrary.
  *
  * @param read
  *   reads all rows, including deleted ones
  * @param columns
  *   the new columns; a field with an unchanged id is included for its children
  */
final private[sparklance] case class CastTask(
    read: FragmentTask,
    deletion: Option[DeletionSource],
    columns: LanceSchema,
    version: FileVersion,
    write: WriteId
) extends ColumnFileTask {
  def fragmentIds: Vector[Long] = Vector(read.fragmentId)

  override def write(store: ObjectStore, root: String, settings: RewriteSettings): WrittenFile = {
    val writer = new FragmentWriter(
      store,
      root,
      columns,
      settings.format(version, columns),
      write,
      FileLimits.none
    )
    try {
      Using.resource(FragmentReader.open(store, read, CastTask.BatchRows)) { reader =>
        val deleted = deletion.map { source =>
          DeletionFiles.read(store, source.path, source.kind, read.physicalRows, source.rows)
        }
        val copy =
          new CastingCopy(read.projection, columns.fields, writer.columns, s"fragment ${read.fragmentId}")
        while (reader.next()) append(reader, writer, copy, deleted)
      }
      writer.finish()
    } catch {
      case e: Throwable =>
        Closing.after(e, Vector[AutoCloseable](() => writer.abort()))
        throw e
    }
  }

  /** Appends ranges of rows that are all deleted, or all live. */
  private def append(
      reader: FragmentReader,
      writer: FragmentWriter,
      copy: CastingCopy,
      deleted: Option[DeletionVector]
  ): Unit = {
    val first = writer.rowsWritten
    def isDeleted(row: Int): Boolean = deleted.exists(_.isDeleted(first + row))
    var from = 0
    while (from < reader.rowCount) {
      val most = math.min(reader.rowCount.toLong, from + writer.rowsUntilFull).toInt
      val isGone = isDeleted(from)
      var until = from + 1
      while (until < most && isDeleted(until) == isGone) until += 1
      val rows = if (isGone) CastRows.Deleted else CastRows.Live(first)
      copy.append(reader.columns, from, until, rows)
      writer.rowsWritten(until - from)
      from = until
    }
  }
}

private object CastTask {
  final private val BatchRows = 4096
}
