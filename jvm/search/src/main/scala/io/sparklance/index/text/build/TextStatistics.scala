package io.sparklance.index.text.build

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.ObjectMapper

import io.sparklance.dataset.Dataset
import io.sparklance.index.SegmentFiles
import io.sparklance.index.build.{IndexEntries, StoredSegment}
import io.sparklance.index.text.TextIndex
import io.sparklance.{LanceFormatException, Location}

/** Contents of a segment of a full-text index.
  *
  * @param settings
  *   parameters of the analysis, as in the files
  * @param documents
  *   number of the documents of each partition
  * @param tokens
  *   number of the distinct tokens of each partition
  */
final private[sparklance] case class TextStatistics(
    uuid: String,
    settings: Map[String, String],
    documents: Vector[Long],
    tokens: Vector[Long]
)

private[sparklance] object TextStatistics {
  private val mapper = new ObjectMapper

  /** Describes the segments of an index that have partitions. */
  def of(dataset: Dataset, index: String): Vector[TextStatistics] =
    IndexEntries.of(dataset).filter(segment => segment.index == index && StoredText.isText(segment))
      .flatMap(of(dataset, _))

  private def of(dataset: Dataset, segment: StoredSegment): Option[TextStatistics] = {
    val metadata = StoredText.metadata(dataset, segment)
    val directory = segment.directory(dataset)
    metadata.get("partitions").map { partitions =>
      val sizes = TextIndex.sizes(dataset.store, SegmentFiles(directory, segment.sizes), partitions)
      TextStatistics(
        directory.substring(directory.lastIndexOf('/') + 1),
        settings(metadata, StoredText.path(dataset, segment)),
        sizes.map(_._1),
        sizes.map(_._2)
      )
    }
  }

  /** Settings of an existing segment; none if its files are of the layout before partitions. */
  def settings(dataset: Dataset, segment: StoredSegment): Map[String, String] =
    settings(StoredText.metadata(dataset, segment), StoredText.path(dataset, segment))

  private[build] def settings(metadata: Map[String, String], path: String): Map[String, String] = {
    val stored = metadata.getOrElse("params", "{}")
    val root = Try(mapper.readTree(stored)).filter(_.isObject).getOrElse(
      throw new LanceFormatException(
        s"the parameters of a full-text index are not an object: $stored",
        Location(file = Some(path))
      )
    )
    val params = root.properties.asScala.map { entry =>
      val value = entry.getValue
      entry.getKey -> (if (value.isTextual) value.asText else value.toString)
    }
    params.toMap ++ metadata.get("format_version").map("format_version" -> _)
  }
}
