package io.sparklance.spark.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.{DataWriter, DataWriterFactory, WriterCommitMessage}

/** Tasks whose rows the table has already: Spark runs the query all the same. */
case object IdleWriterFactory extends DataWriterFactory {
  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] = new IdleWriter
}

final private class IdleWriter extends DataWriter[InternalRow] {
  override def write(row: InternalRow): Unit = ()
  override def commit(): WriterCommitMessage = LanceCommitMessage(Vector.empty, isRepeated = false)
  override def abort(): Unit = ()
  override def close(): Unit = ()
}
