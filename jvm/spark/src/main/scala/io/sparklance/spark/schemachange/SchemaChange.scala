package io.sparklance.spark.schemachange

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.schemachange.{ColumnFileTask, RetypedColumns}
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
      dataset.fragmentRows.map { case (fragment, rows) =>
        ConstantTask(fragment, rows, columns, values, dataset.fileVersion, write)
      }
    }
  }
}
