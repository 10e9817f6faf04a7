package io.sparklance.index.text

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceException
import io.sparklance.dataset.Dataset
import io.sparklance.fuzz.{Damage, Specimen, TableContent}
import io.sparklance.index.search.GoldenIndices
import io.sparklance.text.TextQuery

/** Searches of damaged full-text indices end with an answer or with an error of this library. */
class TextDamageSuite extends AnyFunSuite {
  private val cases = if (sys.env.contains("SPARKLANCE_TEST_FULL")) 5000 else 40

  private val queries = Vector(
    TextQuery.Match("t", "license the software"),
    TextQuery.Match("t", "licence", fuzziness = 2),
    TextQuery.Match("t", "license software", all = true),
    TextQuery.Phrase("t", "the software", slop = 1)
  )

  Vector("1_plain", "2_deleted", "3_plain", "1_optimized").foreach { name =>
    test(s"damaged files of $name") {
      val files = GoldenIndices.filesOf(s"tests/golden/text/$name/t.lance")
      val (own, others) = files.partition(_._1.contains("/_indices/"))
      val content = TableContent.read(Specimen.store(files), GoldenIndices.Root, Set.empty)
      val specimen = Specimen(name, own, Set.empty, content)
      for (number <- 0 until cases) {
        val damaged = new Damage(Vector(specimen), new Random(number.toLong))(specimen)
        val dataset = Dataset.open(Specimen.store(others ++ damaged.files), GoldenIndices.Root)
        queries.foreach { query =>
          TextPartition.clear()
          withClue(s"case $number (${damaged.what}), $query") {
            val options = TextSearchOptions(Some(5), None, isFast = true)
            try { val _ = new TextSearch(dataset, options, TextSearch.local(dataset)).find(query) }
            catch { case _: LanceException => }
          }
        }
      }
      TextPartition.clear()
    }
  }
}
