package io.sparklance.spark.index

import java.util.UUID

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.{Split, SplitTarget}
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.index.build.{IndexFileWriter, IndexedColumn, IndexedRows}
import io.sparklance.spark.session.{Session, TableLocation}

/** Everything that the job of a new segment needs.
  *
  * @param numbers
  *   the metadata column by which the index knows rows
  * @param fragments
  *   ids of the fragments to index
  */
final private[index] class IndexWork(
    location: TableLocation,
    val dataset: Dataset,
    val column: IndexedColumn,
    numbers: MetadataColumn,
    val fragments: Set[Long]
) {

  /** Location of the table, for tasks. */
  val forTasks: TableLocation = location.forTasks(dataset)

  /** Place and format of the segment's files. */
  val files: SegmentPlace =
    SegmentPlace(
      forTasks,
      dataset.root,
      UUID.randomUUID(),
      IndexFileWriter.versionFor(dataset.fileVersion)
    )

  /** Number of rows to index, deleted ones included. */
  def rows: Long = dataset.fragmentRows.collect { case (id, rows) if fragments(id) => rows }.sum

  /** The rows to index, one partition for each split. Tasks open them with [[IndexedRows]]. */
  def splits: RDD[Split] = partitions(planned(Session.splitTarget))

  /** The rows to index, in one partition. */
  def inOnePartition: RDD[Split] =
    SparkSession.active.sparkContext.parallelize(planned(Session.splitTarget), 1)

  /** A sample of these rows, in the same form. */
  def sample(rows: Long): RDD[Split] = partitions(sampled(rows))

  /** Splits of a sample. */
  def sampled(rows: Long): Vector[Split] = IndexedRows.sample(dataset, column, numbers, fragments, rows)

  /** Returns the splits for the rows to index, in the order of the table. */
  def planned(target: SplitTarget): Vector[Split] =
    IndexedRows.splits(dataset, column, numbers, fragments, target)

  /** The rows to index of some of the fragments. */
  def splitsOf(some: Set[Long]): Vector[Split] =
    IndexedRows.splits(dataset, column, numbers, some, Session.splitTarget)

  /** One partition for each element. */
  def partitions[A: ClassTag](all: Vector[A]): RDD[A] =
    SparkSession.active.sparkContext.parallelize(all, math.max(1, all.size))
}
