package io.sparklance.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import io.sparklance.dataset.SplitReader
import io.sparklance.spark.TableLocation

/** Opens partitions on executors. */
final case class LanceReaderFactory(location: TableLocation, spec: ScanSpec) extends PartitionReaderFactory {

  override def supportColumnarReads(partition: InputPartition): Boolean = true

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    partition match {
      case LanceInputPartition(split) =>
        val reader = new SplitReader(location.store, split, spec.batchRows)
        val vectors = spec.projection.map(ColumnVectors.of(_, spec.lossyValues, reader.place)).toArray
        new LanceColumnarReader(reader, vectors)
      case other => throw new IllegalArgumentException(s"not a partition of a Lance table: $other")
    }

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    throw new UnsupportedOperationException("Lance tables are read in columnar batches")
}

/** Shows one batch after the other through the same vectors. */
final private class LanceColumnarReader(reader: SplitReader, vectors: Array[LanceColumnVector])
    extends PartitionReader[ColumnarBatch] {
  private val batch = new ColumnarBatch(vectors.toArray[ColumnVector])

  override def next(): Boolean = {
    val found = reader.next()
    if (found) {
      reader.columns.iterator.zip(vectors.iterator).foreach { case (column, vector) => vector.show(column) }
      batch.setNumRows(reader.rowCount)
    }
    found
  }

  override def get(): ColumnarBatch = batch

  override def close(): Unit = reader.close()
}
