package io.sparklance.spark.read

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{ColumnarToRowTransition, SparkPlan}
import org.apache.spark.sql.vectorized.ColumnarBatch

import io.sparklance.spark.errors.SparkErrors.translating

/** Returns the rows of a scan in Spark's format, written column by column. Spark's own operator calls an
  * accessor and a writer for each value, which takes longer.
  */
final private[read] case class LanceColumnarToRowExec(child: SparkPlan) extends ColumnarToRowTransition {
  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  // Named as those of Spark's own operator.
  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "numInputBatches" -> SQLMetrics.createMetric(sparkContext, "number of input batches")
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val (rows, batches) = (longMetric("numOutputRows"), longMetric("numInputBatches"))
    val columns = output.size
    child.executeColumnar().mapPartitions(new ChunkedRows(_, columns, rows, batches))
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

/** The rows of batches. A row is valid until the next call of `hasNext`, as those of Spark's own operator. */
final private[read] class ChunkedRows(
    batches: Iterator[ColumnarBatch],
    columns: Int,
    rowsRead: SQLMetric,
    batchesRead: SQLMetric
) extends Iterator[InternalRow] {
  private val chunk = new RowChunk(columns)
  private var vectors = Array.empty[RowValues]
  // Rows of the batch, and those of them that have been in a chunk.
  private var batchRows, filled = 0
  // Rows of the chunk, and those of them that have been returned.
  private var chunkRows, returned = 0

  override def hasNext: Boolean = {
    while (returned == chunkRows && (filled < batchRows || nextBatch())) nextChunk()
    returned < chunkRows
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("there is no row")
    returned += 1
    chunk.row(returned - 1)
  }

  private def nextBatch(): Boolean = batches.hasNext && {
    val batch = batches.next()
    vectors = Array.tabulate(batch.numCols)(i => ChunkedRows.values(batch, i))
    batchRows = batch.numRows
    filled = 0
    batchesRead += 1
    true
  }

  private def nextChunk(): Unit = translating {
    returned = 0
    chunkRows = if (filled < batchRows) chunk.fill(vectors, filled, batchRows) else 0
    filled += chunkRows
    rowsRead += chunkRows
  }
}

private object ChunkedRows {
  private def values(batch: ColumnarBatch, column: Int): RowValues = batch.column(column) match {
    case values: RowValues => values
    case other => throw new IllegalStateException(s"a ${other.getClass} does not write rows")
  }
}
