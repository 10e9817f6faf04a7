package io.sparklance.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import io.sparklance.dataset.aggregate.{Aggregate, AggregateReader}
import io.sparklance.io.IoStats
import io.sparklance.schema.Field
import io.sparklance.spark.session.{OwnJob, TableLocation}
import io.sparklance.spark.types.ReadTypeOptions

/** Answers aggregates on executors, one row for each partition. */
final private case class LanceAggregateFactory(
    location: TableLocation,
    aggregates: Vector[Aggregate],
    batchRows: Int,
    readTypes: ReadTypeOptions
) extends PartitionReaderFactory {

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    MissingFile.telling(location) {
      partition match {
        case LanceInputPartition(split) =>
          val reader =
            new AggregateReader(
              location.store,
              split,
              aggregates,
              batchRows,
              () => OwnJob.endIfKilled()
            )
          new LanceAggregateReader(location, reader, aggregates, readTypes)
        case CountedPartition(rows) => new CountedReader(InternalRow.fromSeq(aggregates.map(_ => rows)))
        case other => throw new IllegalArgumentException(s"not a partition of a Lance table: $other")
      }
    }
}

/** A part of a count that is known. */
final private case class CountedPartition(rows: Long) extends InputPartition

/** Returns one row. */
final private class CountedReader(row: InternalRow) extends PartitionReader[InternalRow] {
  private var returned = false

  override def next(): Boolean = {
    val hasNext = !returned
    returned = true
    hasNext
  }
  override def get(): InternalRow = row
  override def close(): Unit = ()
}

final private class LanceAggregateReader(
    location: TableLocation,
    reader: AggregateReader,
    aggregates: Vector[Aggregate],
    readTypes: ReadTypeOptions
) extends PartitionReader[InternalRow] {
  private var row = Option.empty[InternalRow]
  private var nanos = 0L

  override def next(): Boolean = MissingFile.telling(location) {
    row.isEmpty && {
      val start = System.nanoTime()
      val vectors = reader.answer().zip(aggregates).map { case (column, aggregate) =>
        val vector =
          ColumnVectors.of(aggregate.field, readTypes, _ => "an aggregate", LanceAggregateReader.noBlobs)
        vector.show(column)
        vector: ColumnVector
      }
      row = Some(new ColumnarBatch(vectors.toArray, 1).getRow(0))
      nanos = System.nanoTime() - start
      true
    }
  }

  override def get(): InternalRow = row.getOrElse(throw new IllegalStateException("there is no row"))

  override def currentMetricsValues(): Array[CustomTaskMetric] =
    ReadMetrics.ofTask(TaskReads(reader.stats, IoStats.none, 0, nanos))

  override def close(): Unit = ()
}

private object LanceAggregateReader {

  def noBlobs(field: Field): ShownBlobs =
    throw new IllegalStateException(s"an aggregate of the blobs of ${field.name}")
}
