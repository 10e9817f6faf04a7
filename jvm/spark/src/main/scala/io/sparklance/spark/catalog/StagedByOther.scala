package io.sparklance.spark.catalog

import java.util.{Map => JMap, Set => JSet}

import org.apache.spark.sql.connector.catalog.{Column, StagedTable, SupportsWrite, Table, TableCapability}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType

/** A table of another source, in a catalog that must stage all tables because it stages Lance tables. It is
  * created when the statement begins, as Spark does for catalogs without staging.
  */
final private[spark] class StagedByOther(table: Table, undo: () => Unit) extends StagedTable
    with SupportsWrite {
  override def name(): String = table.name
  override def columns(): Array[Column] = table.columns
  override def schema(): StructType = TableRequest.schema(table.columns)
  override def partitioning(): Array[Transform] = table.partitioning
  override def properties(): JMap[String, String] = table.properties
  override def capabilities(): JSet[TableCapability] = table.capabilities

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = table match {
    case writable: SupportsWrite => writable.newWriteBuilder(info)
    case _ => throw new UnsupportedOperationException(s"the source of ${table.name} cannot be written to")
  }

  override def commitStagedChanges(): Unit = ()
  override def abortStagedChanges(): Unit = undo()
}
