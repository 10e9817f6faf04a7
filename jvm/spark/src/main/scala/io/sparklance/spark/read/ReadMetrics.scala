package io.sparklance.spark.read

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}

import io.sparklance.index.search.IndexAnswer
import io.sparklance.spark.session.{AddedJar, SumMetric}

/** Metrics of a scan in Spark's UI. */
sealed abstract private[sparklance] class ReadMetric(name: String, description: String)
    extends SumMetric(name, description)

final private[sparklance] class BytesRead extends ReadMetric("bytesRead", "bytes read")

final private[sparklance] class ReadRequests extends ReadMetric("readRequests", "reads")

final private[sparklance] class ReadMillis extends ReadMetric("readMillis", "ms waiting for reads")

final private[sparklance] class DecodeMillis extends ReadMetric("decodeMillis", "ms decoding")

final private[sparklance] class Batches extends ReadMetric("batches", "batches")

final private[sparklance] class RowsSkipped extends ReadMetric("rowsSkipped", "rows skipped by statistics")

final private[sparklance] class RowsFiltered extends ReadMetric("rowsFiltered", "rows filtered")

final private[sparklance] class RowsBelowTop extends ReadMetric("rowsBelowTop", "rows below the top")

final private[sparklance] class PagesRead extends ReadMetric("pagesRead", "pages read")

final private[sparklance] class PagesSkipped extends ReadMetric("pagesSkipped", "pages skipped")

final private[sparklance] class MetadataCacheHits
    extends ReadMetric("metadataCacheHits", "metadata cache hits")

final private[sparklance] class MetadataCacheMisses
    extends ReadMetric("metadataCacheMisses", "metadata cache misses")

final private[sparklance] class Splits extends ReadMetric("splits", "splits")

final private[sparklance] class FragmentsRead extends ReadMetric("fragmentsRead", "fragments read")

final private[sparklance] class FragmentsSkipped extends ReadMetric("fragmentsSkipped", "fragments skipped")

final private[sparklance] class IndexPagesRead extends ReadMetric("indexPagesRead", "index pages read")

final private[sparklance] class RowsFoundByIndices
    extends ReadMetric("rowsFoundByIndices", "rows found by indices")

private object ReadMetrics {
  private val ofTasks: Vector[(ReadMetric, TaskReads => Long)] = Vector(
    new BytesRead -> (task => task.stats.io.bytes + task.blobs.bytes),
    new ReadRequests -> (task => task.stats.io.requests + task.blobs.requests),
    new ReadMillis -> (task => (task.stats.io.waitNanos + task.blobs.waitNanos) / NanosPerMilli),
    new DecodeMillis -> (task => (task.nanos - task.stats.io.waitNanos) / NanosPerMilli),
    new Batches -> (_.made),
    new RowsSkipped -> (_.stats.rowsSkipped),
    new RowsFiltered -> (_.stats.rowsFiltered),
    new RowsBelowTop -> (_.stats.rowsBelowTop),
    new PagesRead -> (_.stats.pagesRead),
    new PagesSkipped -> (_.stats.pagesSkipped),
    new MetadataCacheHits -> (_.stats.cacheHits),
    new MetadataCacheMisses -> (_.stats.cacheMisses)
  )
  private val (splits, fragmentsRead, fragmentsSkipped) =
    (new Splits, new FragmentsRead, new FragmentsSkipped)
  private val (indexPages, indexRows) = (new IndexPagesRead, new RowsFoundByIndices)

  def all: Array[CustomMetric] = AddedJar.loadable(
    ofTasks.map[CustomMetric](_._1).toArray ++ Array[CustomMetric](
      splits,
      fragmentsRead,
      fragmentsSkipped,
      indexPages,
      indexRows
    )
  )

  def ofTask(reads: TaskReads): Array[CustomTaskMetric] =
    ofTasks.map { case (metric, count) => metric.of(count(reads)) }.toArray

  /** @param planned number of splits */
  def ofPlan(planned: Int, fragments: Int, skipped: Int): Array[CustomTaskMetric] =
    AddedJar.loadable(Array(
      splits.of(planned.toLong),
      fragmentsRead.of(fragments.toLong),
      fragmentsSkipped.of(skipped.toLong)
    ))

  def ofIndices(answer: Option[IndexAnswer]): Array[CustomTaskMetric] = AddedJar.loadable(Array(
    indexPages.of(answer.fold(0L)(_.uses.map(_.pages).sum)),
    indexRows.of(answer.fold(0L)(_.found))
  ))

  final private val NanosPerMilli = 1000000L
}
