package io.sparklance.spark.table

import java.util.{Set => JSet}

import org.apache.spark.sql.connector.catalog.{SupportsWrite, TableCapability}
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.Dataset
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.{LanceOptions, SettledColumns}
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.types.{ReadTypeOptions, SchemaConverter}
import io.sparklance.spark.write.{MergeBuilder, WritePlanner}

/** A table to which rows with new columns are appended.
  *
  * @param merged
  *   the table's columns and the new ones
  */
final private[sparklance] class MergingLanceTable(
    name: String,
    location: TableLocation,
    dataset: Dataset,
    merged: LanceSchema
) extends LanceTable(name, location, dataset)
    with SupportsWrite {
  override def schema(): StructType = translating(SchemaConverter.toSpark(merged, ReadTypeOptions.written))
  override def capabilities(): JSet[TableCapability] = JSet.of(TableCapability.BATCH_WRITE)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = translating {
    val options = LanceOptions.forWrite(info.options)
    SettledColumns.check(options.creation.columns, name, merged)
    val followers =
      LanceTable.followers(location, (_, _, _) => throw new IllegalStateException("not a stream"))
    new MergeBuilder(new WritePlanner(name, location, dataset, info, options, followers), merged)
  }
}
