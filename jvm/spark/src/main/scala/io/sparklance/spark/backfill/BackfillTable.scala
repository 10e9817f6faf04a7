package io.sparklance.spark.backfill

import java.util.{Set => JSet, UUID}

import scala.collection.concurrent.TrieMap

import org.apache.spark.sql.connector.catalog.{Identifier, SupportsWrite, Table, TableCapability}
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write.{BatchWrite, LogicalWriteInfo, Write, WriteBuilder}
import org.apache.spark.sql.types.StructType

import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.write.WriteMetrics

/** Some columns of a table, to be written for rows that are there, with the addresses of these. It is there
  * for one write: Spark asks the catalog for it by a name that nobody else knows.
  */
final private[backfill] class BackfillTable(
    override val name: String,
    override val schema: StructType,
    write: LogicalWriteInfo => BackfillBatchWrite
) extends Table
    with SupportsWrite {
  override def capabilities(): JSet[TableCapability] = JSet.of(TableCapability.BATCH_WRITE)
  override def toString: String = name

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new WriteBuilder {
    override def build(): Write = translating {
      new ColumnsWrite(name, write(info))
    }
  }
}

final private class ColumnsWrite(name: String, batch: BackfillBatchWrite) extends Write {
  override def description(): String = name
  override def toString: String = name
  override def toBatch: BatchWrite = batch
  override def supportedCustomMetrics(): Array[CustomMetric] = WriteMetrics.all
  override def reportDriverMetrics(): Array[CustomTaskMetric] = batch.metrics
}

private[spark] object BackfillTable {
  private val Namespace = "columns"
  private val open = TrieMap.empty[String, BackfillTable]

  /** Runs `body` with what stands behind the catalog's name to mean the table. */
  private[backfill] def during[A](table: BackfillTable)(body: String => A): A = {
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
