package io.sparklance.spark.schemachange

import org.apache.spark.sql.catalyst.InternalRow

import io.sparklance.data.FileVersion
import io.sparklance.dataset.schemachange.ColumnFileTask
import io.sparklance.dataset.write.{FileLimits, FragmentWriter, RewriteSettings, WrittenFile}
import io.sparklance.io.{Closing, ObjectStore}
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.write.RowToBlocks
import io.sparklance.table.WriteId

/** Writes new columns of a fragment that have the same values in all rows. */
final private[spark] case class ConstantTask(
    fragmentId: Long,
    rows: Long,
    columns: LanceSchema,
    values: InternalRow,
    version: FileVersion,
    write: WriteId
) extends ColumnFileTask {

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
      append(writer)
      writer.finish()
    } catch {
      case e: Throwable =>
        Closing.after(e, Vector[AutoCloseable](() => writer.abort()))
        throw e
    }
  }

  private def append(writer: FragmentWriter): Unit = {
    val appenders = columns.fields.zip(writer.columns).map { case (field, column) =>
      RowToBlocks.appender(field, column, writer.blobs)
    }.toArray
    var row = 0L
    while (row < rows) {
      var i = 0
      while (i < appenders.length) { appenders(i).append(values, i); i += 1 }
      writer.rowWritten()
      row += 1
    }
  }
}
