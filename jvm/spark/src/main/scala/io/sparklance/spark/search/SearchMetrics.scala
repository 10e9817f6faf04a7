package io.sparklance.spark.search

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}

import io.sparklance.spark.session.{AddedJar, SumMetric}

/** Metrics of a search in Spark's UI. */
sealed abstract private[sparklance] class SearchMetric(name: String, description: String)
    extends SumMetric(name, description)

final private[sparklance] class VectorsCompared extends SearchMetric("vectorsCompared", "vectors compared")
final private[sparklance] class PartitionsProbed
    extends SearchMetric("partitionsProbed", "partitions of indices searched")
final private[sparklance] class SearchTasks extends SearchMetric("searchTasks", "tasks of the search")
final private[sparklance] class SearchPages
    extends SearchMetric("searchPagesRead", "pages read by the search")
final private[sparklance] class SearchBytes
    extends SearchMetric("searchBytesRead", "bytes read by the search")

final private[sparklance] class TextsRead
    extends SearchMetric("textsRead", "rows outside of indices whose texts were read")
final private[sparklance] class TextTasks extends SearchMetric("textTasks", "tasks that read texts")

private[search] object SearchMetrics {
  private val texts = new TextsRead
  private val textTasks = new TextTasks
  private val compared = new VectorsCompared
  private val probed = new PartitionsProbed
  private val tasks = new SearchTasks
  private val pages = new SearchPages
  private val bytes = new SearchBytes

  def all: Array[CustomMetric] =
    AddedJar.loadable(Array[CustomMetric](compared, probed, tasks, pages, bytes, texts, textTasks))

  def of(result: SearchOutcome): Array[CustomTaskMetric] = AddedJar.loadable(Array(
    compared.of(result.compared),
    probed.of(result.probed),
    tasks.of(result.tasks.toLong),
    pages.of(result.stats.pagesRead),
    bytes.of(result.stats.io.bytes)
  ))

  def ofTexts(read: Long, tasks: Long): Array[CustomTaskMetric] =
    AddedJar.loadable(Array(texts.of(read), textTasks.of(tasks)))
}
