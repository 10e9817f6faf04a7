package io.sparklance.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import io.sparklance.dataset.grouping.{GroupReader, Grouping}
import io.sparklance.io.IoStats
import io.sparklance.spark.session.{OwnJob, TableLocation}
import io.sparklance.spark.types.ReadTypeOptions

/** Aggregates the rows of partitions on executors. */
final private case class LanceGroupFactory(
    location: TableLocation,
    grouping: Grouping,
    batchRows: Int,
    readTypes: ReadTypeOptions
) extends PartitionReaderFactory {
  override def supportColumnarReads(partition: InputPartition): Boolean = true

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    throw new UnsupportedOperationException("aggregates are returned in batches")

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    MissingFile.telling(location) {
      partition match {
        case LanceInputPartition(split) =>
          val groups =
            new GroupReader(
              location.store,
              split,
              grouping,
              batchRows,
              () => OwnJob.endIfKilled()
            )
          val vectors = grouping.fields.map(
            ColumnVectors.of(_, readTypes, _ => "an aggregate", LanceAggregateReader.noBlobs)
          )
          new LanceGroupReader(location, groups, vectors.toArray)
        case other => throw new IllegalArgumentException(s"not a partition of a Lance table: $other")
      }
    }
}

/** Shows successive results through the same vectors. */
final private class LanceGroupReader(
    location: TableLocation,
    groups: GroupReader,
    vectors: Array[LanceColumnVector]
) extends PartitionReader[ColumnarBatch] {
  private val batch = new ColumnarBatch(vectors.toArray[ColumnVector])
  private var batches = 0L
  private var nanos = 0L

  override def next(): Boolean = MissingFile.telling(location) {
    val start = System.nanoTime()
    val found = groups.next()
    nanos += System.nanoTime() - start
    if (found) {
      batches += 1
      groups.columns.iterator.zip(vectors.iterator).foreach { case (column, vector) => vector.show(column) }
      batch.setNumRows(groups.rowCount)
    }
    found
  }

  override def get(): ColumnarBatch = batch

  override def currentMetricsValues(): Array[CustomTaskMetric] =
    ReadMetrics.ofTask(TaskReads(groups.stats, IoStats.none, batches, nanos))

  override def close(): Unit = MissingFile.telling(location)(groups.close())
}
