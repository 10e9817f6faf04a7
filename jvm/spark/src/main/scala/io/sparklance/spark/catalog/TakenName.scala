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

/** A name in a catalog's directory that is not a usable table. Some releases of Spark load the table for DROP
  * TABLE and CREATE OR REPLACE, too. So the failure is thrown only when rows or columns are requested; Spark
  * looks for columns among the metadata columns last.
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
