package io.sparklance.spark.table

import java.util.{Map => JMap, Set => JSet}

import org.apache.spark.sql.connector.catalog.{SupportsRead, SupportsWrite, TableCapability}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.session.TableLocation

/** A table that cannot be opened, because its data are missing or corrupt. Fails when it is used, not when it
  * is resolved: catalogs may list such tables, and DROP must work.
  */
final private[sparklance] class UnusableLanceTable(
    override val name: String,
    declared: StructType,
    location: TableLocation,
    override val capabilities: JSet[TableCapability],
    val failure: Throwable
) extends BrokenTable
    with SupportsRead
    with SupportsWrite {
  override def schema(): StructType = declared
  override def properties(): JMap[String, String] = LanceTable.properties(location)
  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = translating {
    throw failure
  }
  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = translating {
    throw failure
  }
}
