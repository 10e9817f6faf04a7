package io.sparklance.fuzz

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.sparklance.dataset.Dataset
import io.sparklance.index.search.GoldenIndices
import io.sparklance.index.text.{TextParts, TextSearch, TextSearchOptions}
import io.sparklance.text.TextQuery

/** The tables with full-text indices in `tests/golden/text`. */
object TextSpecimens {
  private val queries = Vector(
    Some(5) -> TextQuery.Match("t", "license the software"),
    None -> TextQuery.Match("t", "license the software"),
    Some(5) -> TextQuery.Match("t", "licence", fuzziness = 2),
    None -> TextQuery.Match("t", "license software", all = true),
    Some(3) -> TextQuery.Phrase("t", "the software", slop = 1)
  )

  def golden(directory: Path): Vector[IndexSpecimen] =
    Using.resource(Files.list(directory))(_.iterator.asScala.toVector).filter(hasIndex).sorted.map { path =>
      val files = GoldenIndices.filesOf(path.resolve("t.lance").toString)
      val (own, others) = files.partition(_._1.contains("/_indices/"))
      val content = TableContent.read(Specimen.store(files), Specimen.Root, Set.empty)
      IndexSpecimen(Specimen(path.getFileName.toString, own, Set.empty, content), others, ask)
    }

  private def hasIndex(path: Path): Boolean = Files.exists(path.resolve("t.lance").resolve("_indices"))

  /** Indices without positions refuse phrases in any case. */
  private def ask(dataset: Dataset, answer: Any => Unit): Unit = {
    TextParts.clear()
    for (
      (limit, query) <- queries if TextParts.hasPositions(dataset) || query.isInstanceOf[TextQuery.Match]
    ) {
      val options = TextSearchOptions(limit, None, isFast = true)
      val found = new TextSearch(dataset, options, TextSearch.local(dataset)).find(query)
      answer((found.addresses.toVector, found.scores.toVector.map(java.lang.Float.floatToRawIntBits)))
    }
  }
}
