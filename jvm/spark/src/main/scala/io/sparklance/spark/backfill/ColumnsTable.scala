package io.sparklance.spark.backfill

import java.util.{Set => JSet, UUID}

import scala.collection.concurrent.TrieMap

import org.apache.spark.sql.connector.catalog.{Identifier, SupportsWrite, Table, TableCapability}
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write.{BatchWrite, LogicalWriteInfo, Write, WriteBuilder}
import org.apache.spark.sql.types.StructType

import io.sparklance.spark.write.WriteMetrics

/** Some columns of a table, to be written for rows that are there, with the addresses of these. It is there for one write: Spark asks
  * the catalog for it by a name that nobody else knows.
  */
final private[backfill] class ColumnsTable(
    override val name: String,
    override val schema: StructType,
    write: LogicalWriteInfo => ColumnsBatchWrite
) extends Table
    with SupportsWrite {
  override def capabilities(): JSet[TableCapability] = JSet.of(TableCapability.BATCH_WRITE)
  override def toString: String = name

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new WriteBuilder {
    override def build(): Write = new ColumnsWrite(name, write(info))
  }
}

final private class ColumnsWrite(name: String, batch: ColumnsBatchWrite) extends Write {
  override def description(): String = name
  override def toString: String = name
  override def toBatch: BatchWrite = batch
  override def supportedCustomMetrics(): Array[CustomMetric] = WriteMetrics.all
  override def reportDriverMetrics(): Array[CustomTaskMetric] = batch.metrics
}

private[spark] object ColumnsTable {
  private val Namespace = "columns"
  private val open = TrieMap.empty[String, ColumnsTable]

  /** Runs `body` with what stands behind the catalog's name to mean the table. */
  private[backfill] def during[A](table: ColumnsTable)(body: String => A): A = {
    val id = UUID.randomUUID().toString
    open.put(id, table)
    try body(s"$Namespace.`$id`")
    finally { val _ = open.remove(id) }
  }

  def unapply(ident: Identifier): Option[Table] = ident.namespace match {
    case Array(Namespace) => open.get(ident.name)
    case _ => None
  }
}
