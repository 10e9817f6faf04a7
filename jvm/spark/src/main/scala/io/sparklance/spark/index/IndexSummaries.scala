package io.sparklance.spark.index

import java.time.Instant

import io.sparklance.dataset.Dataset
import io.sparklance.index.build.{IndexEntries, IndexedColumn, StoredSegment, StoredSettings}
import io.sparklance.index.search.IndexWarmth
import io.sparklance.index.text.TextCoverage
import io.sparklance.index.text.build.{StoredText, TextStatistics}
import io.sparklance.index.vector.build.{SegmentStatistics, StoredVectorIndex, VectorDetails}
import io.sparklance.index.vector.{VectorIndexFiles, VectorSegment}
import io.sparklance.spark.session.TableLocation

/** An index of a version, all segments together.
  *
  * @param kind
  *   name of its kind, such as BTree
  * @param columns
  *   paths of its fields
  * @param createdAt
  *   when its newest segment was built, if recorded
  * @param sizeBytes
  *   size of its files, if recorded
  */
final private[spark] case class IndexSummary(
    name: String,
    kind: String,
    columns: Vector[String],
    segments: Int,
    coverage: IndexCoverage,
    createdAt: Option[Instant],
    sizeBytes: Option[Long]
)

/** Numbers of the fragments and live rows that an index covers, and of the others, which queries scan.
  *
  * @param isOutdated
  *   whether a segment may have addresses of rows that were moved, so that it covers nothing
  */
final private[spark] case class IndexCoverage(
    fragments: Int,
    otherFragments: Int,
    rows: Long,
    otherRows: Long,
    isOutdated: Boolean
)

private[spark] object IndexSummaries {

  /** Returns all indices except internal ones, in the order of the manifest. */
  def of(dataset: Dataset): Vector[IndexSummary] = {
    val segments = IndexEntries.of(dataset).filterNot(_.isSystem)
    val rows = if (segments.isEmpty) Map.empty[Long, Long] else dataset.liveRows.toMap
    segments.map(_.index).distinct.map(name => summary(dataset, rows, segments.filter(_.index == name)))
  }

  /** Returns an index by its name, or fails. */
  def named(location: TableLocation, dataset: Dataset, name: String): IndexSummary =
    of(dataset).find(_.name == name).getOrElse(throw IndexDrop.missing(location, name))

  /** Settings with which the segments of an index were built. */
  def settings(dataset: Dataset, name: String): Map[String, String] =
    IndexEntries.of(dataset).find(_.index == name).fold(Map.empty[String, String]) { segment =>
      if (StoredVectorIndex.isVector(segment)) VectorDetails.shown(segment.details.toByteArray)
      else if (StoredText.isText(segment)) TextStatistics.settings(dataset, segment)
      else StoredSettings.of(dataset, segment).fold(Map.empty[String, String])(_._2)
    }

  /** The segments of a vector index. */
  def partitions(dataset: Dataset, name: String): Vector[SegmentStatistics] =
    SegmentStatistics.of(dataset, name)

  /** The segments of a full-text index. */
  def texts(dataset: Dataset, name: String): Vector[TextStatistics] = TextStatistics.of(dataset, name)

  /** Numbers that describe the contents of an index, by name. */
  def counts(dataset: Dataset, name: String): Map[String, Long] = {
    val ofTexts = texts(dataset, name)
    val ofVectors = partitions(dataset, name)
    if (ofTexts.nonEmpty) Map(
      "partitions" -> ofTexts.iterator.map(_.documents.size.toLong).sum,
      "documents" -> ofTexts.iterator.map(_.documents.sum).sum,
      "tokens" -> ofTexts.iterator.map(_.tokens.sum).sum
    )
    else if (ofVectors.nonEmpty) Map(
      "partitions" -> ofVectors.iterator.map(_.sizes.size.toLong).sum,
      "vectors" -> ofVectors.iterator.flatMap(_.sizes).map(_.toLong).sum
    )
    else Map.empty
  }

  /** Number of segments of an index that scans use. */
  def usedSegments(dataset: Dataset, name: String): Int = {
    val ofVectors =
      IndexEntries.of(dataset).filter(segment => segment.index == name && StoredVectorIndex.isVector(segment))
        .flatMap(_.fieldIds.headOption).distinct
    IndexWarmth.usable(dataset, name) + TextCoverage.usable(dataset, name) +
      ofVectors.flatMap(VectorSegment.of(dataset, _)).count(_.index == name)
  }

  /** Caches what searches of an index need. Returns the number of its segments of which something is kept. */
  def prewarm(dataset: Dataset, name: String): Int =
    IndexWarmth.prewarm(dataset, name) + TextCoverage.prewarm(dataset, name) +
      VectorIndexFiles.prewarm(dataset, name)

  private def summary(
      dataset: Dataset,
      rows: Map[Long, Long],
      segments: Vector[StoredSegment]
  ): IndexSummary = {
    val (covered, others) = rows.keys.partition(id => segments.exists(_.fragments.exists(_.contains(id))))
    IndexSummary(
      segments.head.index,
      segments.head.kind,
      segments.head.fieldIds.flatMap(IndexedColumn.of(dataset.schema, _)).map(_.name),
      segments.size,
      IndexCoverage(
        covered.size,
        others.size,
        covered.iterator.map(rows).sum,
        others.iterator.map(rows).sum,
        segments.exists(_.isOutdated)
      ),
      segments.flatMap(_.createdAt).maxOption,
      sizes(segments)
    )
  }

  private def sizes(segments: Vector[StoredSegment]): Option[Long] =
    Option.when(segments.forall(_.sizeBytes.isDefined))(segments.flatMap(_.sizeBytes).sum)
}
