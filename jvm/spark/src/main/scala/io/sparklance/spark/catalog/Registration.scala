package io.sparklance.spark.catalog

import org.apache.spark.sql.types.{DataType, StructType}

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.options.SettledColumns
import io.sparklance.spark.types.{KeptTypes, SchemaConverter}

/** Checks a CREATE TABLE … LOCATION that registers an existing Lance table. */
private[spark] object Registration {

  /** Requires declared columns, if any, to equal the table's columns. */
  def check(request: TableRequest, dataset: Dataset): Unit = {
    SettledColumns.check(request.columnSettings, s"the table at ${request.location.mkString}", dataset.schema)
    val stored = SchemaConverter.toSpark(dataset.schema)
    val declared = request.declared
    if (declared.nonEmpty && shape(declared) != shape(dataset.schema))
      throw new LanceUsageException(
        s"The Lance table at ${request.location.mkString} has other columns (${stored.toDDL}) than those declared " +
          s"(${declared.toDDL}). Leave the columns out to register it as it is, or choose another LOCATION."
      )
  }

  /** Returns names and types of columns. */
  def shape(schema: LanceSchema): Seq[(String, DataType)] = shape(SchemaConverter.toSpark(schema))

  private def shape(schema: StructType): Seq[(String, DataType)] =
    schema.map(field => field.name -> KeptTypes.inQueries(field.dataType))
}
