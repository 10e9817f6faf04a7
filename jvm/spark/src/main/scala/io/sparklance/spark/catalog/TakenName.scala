package io.sparklance.spark.catalog

import java.util.{Set => JSet}

import org.apache.spark.sql.connector.catalog.{
  MetadataColumn,
  SupportsMetadataColumns,
  SupportsRead,
  SupportsWrite,
  TableCapability
}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.spark.errors.SparkErrors
import io.sparklance.spark.table.BrokenTable

/** A name in a directory that is no table which could be read or written. DROP TABLE and CREATE OR REPLACE
  * load it, too, in some releases of Spark, so it is an error only when something is asked of it: rows, or a
  * column, which Spark looks for among the metadata columns in the end.
  */
final private[spark] class TakenName(override val name: String, val failure: RuntimeException)
    extends BrokenTable
    with SupportsRead
    with SupportsWrite
    with SupportsMetadataColumns {
  override def schema(): StructType = new StructType
  override def capabilities(): JSet[TableCapability] = JSet.of(
    TableCapability.BATCH_READ,
    TableCapability.BATCH_WRITE,
    TableCapability.TRUNCATE,
    TableCapability.ACCEPT_ANY_SCHEMA
  )
  override def metadataColumns(): Array[MetadataColumn] = throw SparkErrors.translated(failure)
  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    throw SparkErrors.translated(failure)
  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = throw SparkErrors.translated(failure)
}
