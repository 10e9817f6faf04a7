package io.sparklance.spark.schemachange

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow

import io.sparklance.data.FileVersion
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.schemachange.{ColumnFileTask, RetypedColumns}
import io.sparklance.dataset.write.{FileLimits, FragmentWriter, RewriteSettings, WrittenFile}
import io.sparklance.io.{Closing, ObjectStore}
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.write.RowToBlocks
import io.sparklance.table.WriteId

/** A change of a table's columns.
  *
  * @param schema
  *   the new schema, with ids
  * @param defaults
  *   values of new columns for all rows, by field id, in Spark's internal form
  * @param former
  *   old ids of fields that change types, by new ids
  */
final private[spark] case class SchemaChange(
    schema: LanceSchema,
    defaults: Map[Int, Any] = Map.empty,
    former: Map[Int, Int] = Map.empty
) {

  /** Returns the tasks for the files that the change needs. */
  def tasks(dataset: Dataset, write: WriteId): Vector[ColumnFileTask] =
    constants(dataset, write) ++
      (if (former.isEmpty) Vector.empty else new RetypedColumns(dataset, schema, former).tasks(write))

  private def constants(dataset: Dataset, write: WriteId): Vector[ColumnFileTask] = {
    val columns = LanceSchema(schema.fields.filter(field => defaults.contains(field.id)))
    if (columns.fields.isEmpty) Vector.empty
    else {
      RowToBlocks.refuseUnwritable(columns, dataset.fileVersion)
      val values = new GenericInternalRow(columns.fields.map(field => defaults(field.id)).toArray[Any])
      dataset.fragmentRows.groupMap(_._2)(_._1).toVector.sortBy(_._2.head).map { case (rows, fragments) =>
        ConstantTask(fragments, rows, columns, values, dataset.fileVersion, write)
      }
    }
  }
}

/** Writes new columns that have the same values in all rows. Fragments with as many rows share the file. */
final private[spark] case class ConstantTask(
    fragmentIds: Vector[Long],
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
