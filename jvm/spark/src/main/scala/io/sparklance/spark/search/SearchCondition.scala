package io.sparklance.spark.search

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.spark.options.LanceOptions

/** A condition in SQL, and the options with which the table is read for it. */
final private[search] case class SearchCondition(text: String, options: Map[String, String]) {

  // Settings of a store may be secrets.
  override def toString: String = text
}

private[search] object SearchCondition {

  /** Options that choose the table or the version, or the search itself. */
  private val others = {
    import LanceOptions._
    (Vector(
      Version,
      Branch,
      Tag,
      AsOfTimestamp,
      MetadataTableOption,
      Nearest,
      FullTextQuery,
      HybridSearch
    ).map(_.name) :+ "path")
      .map(_.toLowerCase(Locale.ROOT)).toSet
  }

  /** @param options those of the search */
  def of(text: String, options: CaseInsensitiveStringMap): SearchCondition = SearchCondition(
    text,
    options.asCaseSensitiveMap.asScala.toMap.filterNot { case (key, _) =>
      others(key.toLowerCase(Locale.ROOT))
    }
  )
}
