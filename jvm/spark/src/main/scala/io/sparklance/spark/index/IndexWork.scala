package io.sparklance.spark.index

import java.util.UUID

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession

import io.sparklance.data.FileVersion
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.Split
import io.sparklance.index.build.{IndexEntries, IndexFileWriter, IndexedColumn, IndexedRows, SegmentKind}
import io.sparklance.io.ObjectStore
import io.sparklance.spark.session.{Session, TableLocation}

/** Place and format of a segment's files, for tasks. */
final private[index] case class SegmentPlace(
    location: TableLocation,
    directory: String,
    version: FileVersion
) {
  def store: ObjectStore = location.store
}

/** Everything that the job of a new segment needs.
  *
  * @param fragments
  *   ids of the fragments to index
  */
final private[index] class IndexWork(
    location: TableLocation,
    val dataset: Dataset,
    val column: IndexedColumn,
    val kind: SegmentKind,
    val fragments: Set[Long]
) {
  val uuid: UUID = UUID.randomUUID()

  /** Directory of the segment. */
  val directory: String = IndexEntries.directory(dataset.root, uuid)

  /** Location of the table, for tasks. */
  val forTasks: TableLocation = location.forTasks(dataset)

  /** Place and format of the segment's files. */
  val files: SegmentPlace =
    SegmentPlace(forTasks, directory, IndexFileWriter.versionFor(dataset.fileVersion))

  /** Number of rows to index, deleted ones included. */
  def rows: Long = dataset.fragmentRows.collect { case (id, rows) if fragments(id) => rows }.sum

  /** The rows to index, one partition for each. Tasks open them with [[IndexedRows]]. */
  def splits: RDD[Split] =
    partitions(IndexedRows.splits(dataset, column, kind.numbers, fragments, Session.splitTarget))

  /** A sample of these rows, in the same form. */
  def sample(rows: Long): RDD[Split] =
    partitions(IndexedRows.sample(dataset, column, kind.numbers, fragments, rows))

  private def partitions(all: Vector[Split]): RDD[Split] =
    SparkSession.active.sparkContext.parallelize(all, math.max(1, all.size))
}
