package io.sparklance.spark.backfill

import java.util.{Set => JSet}

import org.apache.spark.sql.connector.catalog.{SupportsWrite, Table, TableCapability}
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write.{BatchWrite, LogicalWriteInfo, Write, WriteBuilder}
import org.apache.spark.sql.types.StructType

import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.write.WriteMetrics

/** Table that a backfill writes to: the addresses of existing rows, and their values for some columns. It
  * lasts for one write, and Spark finds it by a name in [[io.sparklance.spark.options.StatementContext]].
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
      new BackfillWrite(name, write(info))
    }
  }
}

final private class BackfillWrite(name: String, batch: BackfillBatchWrite) extends Write {
  override def description(): String = name
  override def toString: String = name
  override def toBatch: BatchWrite = batch
  override def supportedCustomMetrics(): Array[CustomMetric] = WriteMetrics.all
  override def reportDriverMetrics(): Array[CustomTaskMetric] = batch.metrics
}
