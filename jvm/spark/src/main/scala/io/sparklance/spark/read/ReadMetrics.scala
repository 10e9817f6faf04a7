package io.sparklance.spark.read

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}

import io.sparklance.dataset.scan.ReadStats
import io.sparklance.io.IoStats
import io.sparklance.spark.session.AddedJar

/** Metrics of a scan in Spark's UI. Spark instantiates the classes below by name. */
sealed abstract private[sparklance] class ReadMetric(
    override val name: String,
    override val description: String
) extends CustomSumMetric {
  private[read] def of(count: Long): CustomTaskMetric = TaskMetric(name, count)
}

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

private object ReadMetrics {
  private val bytesRead = new BytesRead
  private val readRequests = new ReadRequests
  private val readMillis = new ReadMillis
  private val decodeMillis = new DecodeMillis
  private val batches = new Batches
  private val rowsSkipped = new RowsSkipped
  private val rowsFiltered = new RowsFiltered
  private val rowsBelowTop = new RowsBelowTop
  private val pagesRead = new PagesRead
  private val pagesSkipped = new PagesSkipped
  private val metadataCacheHits = new MetadataCacheHits
  private val metadataCacheMisses = new MetadataCacheMisses
  private val splits = new Splits
  private val fragmentsRead = new FragmentsRead
  private val fragmentsSkipped = new FragmentsSkipped

  def all: Array[CustomMetric] = AddedJar.loadable(Array[CustomMetric](
    bytesRead,
    readRequests,
    readMillis,
    decodeMillis,
    batches,
    rowsSkipped,
    rowsFiltered,
    rowsBelowTop,
    pagesRead,
    pagesSkipped,
    metadataCacheHits,
    metadataCacheMisses,
    splits,
    fragmentsRead,
    fragmentsSkipped
  ))

  /** @param blobs
    *   statistics of blob reads
    * @param nanos
    *   time spent on making batches, without blob reads
    */
  def ofTask(stats: ReadStats, blobs: IoStats, made: Long, nanos: Long): Array[CustomTaskMetric] = Array(
    bytesRead.of(stats.io.bytes + blobs.bytes),
    readRequests.of(stats.io.requests + blobs.requests),
    readMillis.of((stats.io.waitNanos + blobs.waitNanos) / NanosPerMilli),
    decodeMillis.of((nanos - stats.io.waitNanos) / NanosPerMilli),
    batches.of(made),
    rowsSkipped.of(stats.rowsSkipped),
    rowsFiltered.of(stats.rowsFiltered),
    rowsBelowTop.of(stats.rowsBelowTop),
    pagesRead.of(stats.pagesRead),
    pagesSkipped.of(stats.pagesSkipped),
    metadataCacheHits.of(stats.cacheHits),
    metadataCacheMisses.of(stats.cacheMisses)
  )

  /** @param planned number of splits */
  def ofPlan(planned: Int, fragments: Int, skipped: Int): Array[CustomTaskMetric] =
    AddedJar.loadable(Array(
      splits.of(planned.toLong),
      fragmentsRead.of(fragments.toLong),
      fragmentsSkipped.of(skipped.toLong)
    ))

  private val NanosPerMilli = 1000000L
}

final private case class TaskMetric(name: String, value: Long) extends CustomTaskMetric
