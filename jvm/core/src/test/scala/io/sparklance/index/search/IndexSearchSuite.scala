package io.sparklance.index.search

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceException
import io.sparklance.fuzz.{Damage, Specimen, TableContent}
import io.sparklance.index.read.SegmentCache

class IndexSearchSuite extends AnyFunSuite {
  import GoldenIndices._

  private val cases = if (sys.env.contains("SPARKLANCE_TEST_FULL")) 20000 else 400

  test("each kind of index finds its rows") {
    val store = Specimen.store(files)
    val found = questions.map { question =>
      val answer = ask(store, question, BrokenIndices.Fail)
      (question.name, answer.map(a => (a.found, a.isExact, a.uncovered)))
    }
    assert(found === Vector(
      "tree" -> Some((9L, true, 0)),
      "tree" -> Some((12L, true, 0)),
      "bits" -> Some((26L, true, 0)),
      "bits" -> Some((14L, true, 0)),
      "zone" -> Some((16L, false, 0)),
      "zone" -> Some((0L, true, 0)),
      "bloom" -> Some((64L, false, 0)),
      "text" -> Some((0L, false, 0)),
      "labels" -> Some((21L, false, 0))
    ))
  }

  test("damaged index files are refused or searched, and skipped if the caller wants that") {
    val (own, others) = files.partition(_._1.contains("/_indices/"))
    val content = TableContent.read(Specimen.store(files), Root, Set.empty)
    val specimen = Specimen("indices", own, Set.empty, content)
    for (number <- 0 until cases) {
      val damaged = new Damage(Vector(specimen), new Random(number.toLong))(specimen)
      val store = Specimen.store(others ++ damaged.files)
      questions.foreach { question =>
        val told = s"case $number (${damaged.what}), a question to ${question.name}"
        SegmentCache.clear()
        withClue(told) {
          try { val _ = ask(store, question, BrokenIndices.Fail) }
          catch { case e: LanceException => assert(e.getMessage.contains(s"the index '${question.name}'")) }
        }
        SegmentCache.clear()
        withClue(told) { val _ = ask(store, question, BrokenIndices.Scan) }
      }
    }
    SegmentCache.clear()
  }
}
