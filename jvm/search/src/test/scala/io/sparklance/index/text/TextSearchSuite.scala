package io.sparklance.index.text

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceException
import io.sparklance.dataset.Dataset
import io.sparklance.fuzz.Specimen
import io.sparklance.index.search.GoldenIndices

/** Asks the queries of `tests/golden/text.py`, whose answers are those of pylance. `SPARKLANCE_TEXT_CASES`
  * names a directory with more of them.
  */
final class TextSearchSuite extends AnyFunSuite {
  private val mapper = new ObjectMapper
  private val root = Paths.get("tests/golden/text")

  private val cases: Vector[Path] = Using.resource(Files.list(root)) { paths =>
    paths.iterator.asScala.filter(p => Files.exists(p.resolve("queries.json"))).toVector.sorted
  }

  cases.foreach { directory =>
    test(s"rows and scores are pylance's: ${directory.getFileName}") {
      val dataset = Dataset.open(
        Specimen.store(GoldenIndices.filesOf(directory.resolve("t.lance").toString)),
        GoldenIndices.Root
      )
      val queries = mapper.readTree(directory.resolve("queries.json").toFile).elements.asScala.toVector
      val wrong = queries.flatMap(query =>
        difference(dataset, query).map(d =>
          s"${query.get("query")} limit ${query.get("limit")} fast ${query.get("fast")}: $d"
        )
      )
      assert(wrong.isEmpty, s"${wrong.size} of ${queries.size} differ:\n${wrong.take(6).mkString("\n")}")
    }
  }

  private def difference(dataset: Dataset, query: JsonNode): Option[String] = {
    val limit = Option(query.get("limit")).filterNot(_.isNull).map(_.asInt)
    val search = new TextSearch(
      dataset,
      TextSearchOptions(limit, None, query.get("fast").asBoolean),
      TextSearch.local(dataset)
    )
    try {
      val found = search.find(TextQueryJson.parse(query.get("query").toString))
      if (query.has("error")) Some(s"pylance fails: ${query.get("error").asText}")
      else compare(
        found,
        numbers(query, "addresses").map(_.longValue),
        numbers(query, "scores").map(_.floatValue),
        limit
      )
    } catch {
      case _: LanceException if query.has("error") => None
      case e: LanceException => Some(e.getMessage)
    }
  }

  private def numbers(query: JsonNode, key: String): Vector[JsonNode] =
    query.get(key).elements.asScala.toVector

  private def compare(
      found: TextAnswer,
      addresses: Vector[Long],
      scores: Vector[Float],
      limit: Option[Int]
  ): Option[String] = {
    val ours = found.addresses.zip(found.scores).toMap
    val theirs = addresses.zip(scores).toMap
    if (ours.size != theirs.size) Some(s"${ours.size} rows, not ${theirs.size}")
    else found.scores.zip(scores.sorted(Ordering.Float.TotalOrdering.reverse)).collectFirst {
      case (a, b) if !close(a, b) => s"score $a, not $b"
    }.orElse(
      ours.collectFirst {
        case (row, score) if limit.isEmpty && !theirs.contains(row) => s"row $row with $score"
        case (row, score) if theirs.get(row).exists(!close(_, score)) =>
          s"row $row has $score, not ${theirs(row)}"
      }
    )
  }

  private def close(a: Float, b: Float): Boolean = math.abs(a - b) <=
    1e-5 * math.max(math.abs(a), math.abs(b)) + 1e-5
}
