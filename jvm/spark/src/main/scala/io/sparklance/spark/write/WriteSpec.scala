package io.sparklance.spark.write

import org.apache.spark.sql.types.StructType

import io.sparklance.LanceUsageException
import io.sparklance.data.FileVersion
import io.sparklance.dataset.write.ColumnGroups
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.options.WriteLimits
import io.sparklance.spark.session.TableLocation
import io.sparklance.table.WriteId

/** Everything that tasks need to write data files.
  *
  * @param ordinals
  *   position in Spark's rows of each top-level field of `schema`
  * @param keys
  *   key whose values are collected
  */
final private[sparklance] case class WriteSpec(
    location: TableLocation,
    schema: LanceSchema,
    version: FileVersion,
    limits: WriteLimits,
    ordinals: Vector[Int],
    write: WriteId,
    keys: Option[KeySpec] = None
) {

  /** Columns with files of their own. */
  val groups: ColumnGroups = limits.apart.among(schema)

  /** Returns the spec for an epoch of a stream, whose files have the epoch in their names. */
  def ofEpoch(epoch: Long): WriteSpec = copy(write = write.ofPart(epoch))
}

private[sparklance] object WriteSpec {

  /** Finds each field by name in the columns of the rows. Rows may have further columns, such as metadata
    * columns.
    */
  def ordinals(schema: LanceSchema, rows: StructType): Vector[Int] = {
    val places = rows.fieldNames.zipWithIndex.toMap
    schema.fields.map { field =>
      places.getOrElse(
        field.name,
        throw new LanceUsageException(
          s"The rows to be written have no column '${field.name}' (they have ${rows.fieldNames.mkString(", ")}). " +
            "Add it, or name it as the table does."
        )
      )
    }
  }
}
