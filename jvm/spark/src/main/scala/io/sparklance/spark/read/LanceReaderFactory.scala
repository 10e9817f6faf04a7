package io.sparklance.spark.read

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import io.sparklance.data.DataBlock
import io.sparklance.dataset.blob.BlobReader
import io.sparklance.dataset.scan.SplitReader
import io.sparklance.io.{Closing, IoStats}
import io.sparklance.schema.Field
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.types.ReadTypeOptions
import io.sparklance.stores.Stores

/** Opens partitions on executors. */
final private[sparklance] case class LanceReaderFactory(
    location: TableLocation,
    projection: Vector[Field],
    batchRows: Int,
    readTypes: ReadTypeOptions
) extends PartitionReaderFactory {

  override def supportColumnarReads(partition: InputPartition): Boolean = !WideVectors.dominate(projection)

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    MissingFile.telling(location) {
      reader(partition)
    }

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    MissingFile.telling(location) {
      val batches = reader(partition)
      new LanceRowReader(batches, projection, batches.vectors)
    }

  private def reader(partition: InputPartition): LanceColumnarReader = partition match {
    case LanceInputPartition(split) =>
      val reader = new SplitReader(location.store, split, batchRows)
      val blobs = new SplitBlobs(location, reader)
      val vectors = projection.map(ColumnVectors.of(_, readTypes, reader.place, blobs.of)).toArray
      new LanceColumnarReader(location, reader, vectors, blobs)
    case other => throw new IllegalArgumentException(s"not a partition of a Lance table: $other")
  }
}

/** Shows successive batches through the same vectors. */
final private class LanceColumnarReader(
    location: TableLocation,
    reader: SplitReader,
    val vectors: Array[LanceColumnVector],
    blobs: SplitBlobs
) extends PartitionReader[ColumnarBatch] {
  private val batch = new ColumnarBatch(vectors.toArray[ColumnVector])
  private var batches = 0L
  private var nanos = 0L

  override def next(): Boolean = MissingFile.telling(location) {
    val start = System.nanoTime()
    val found = reader.next()
    nanos += System.nanoTime() - start
    if (found) {
      batches += 1
      reader.columns.iterator.zip(vectors.iterator).foreach { case (column, vector) => vector.show(column) }
      batch.setNumRows(reader.rowCount)
    }
    found
  }

  override def get(): ColumnarBatch = batch

  override def currentMetricsValues(): Array[CustomTaskMetric] =
    ReadMetrics.ofTask(TaskReads(reader.stats, blobs.stats, batches, nanos))

  override def close(): Unit = MissingFile.telling(location) {
    try blobs.close()
    finally reader.close()
  }
}

/** Readers for the blobs of a split's columns, which may be on any Hadoop file system. */
final private[read] class SplitBlobs(location: TableLocation, split: SplitReader) extends AutoCloseable {
  private val readers = mutable.ArrayBuffer.empty[BlobReader]

  def of(field: Field): ShownBlobs = {
    val reader = new BlobReader(Stores.forRoot(_, location.conf.value), field)
    readers += reader
    new ShownBlobs {
      def show(descriptors: DataBlock): Unit = reader.show(split.task, descriptors)
      def bytes(index: Int): Array[Byte] = reader.bytes(index)
    }
  }

  /** Statistics of all requests so far. */
  def stats: IoStats = readers.foldLeft(IoStats.none)(_ + _.stats)

  override def close(): Unit = Closing.all(readers)
}
