package io.sparklance.spark.erasure

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.dataset.erasure.SoughtTexts

class PredicateTextsSuite extends AnyFunSuite {
  private val time = "1977-07-07 07:07:07"

  private val predicates = new PredicateTexts(
    new SoughtTexts(Set("Bob", "O'Brien", "jane@a.org")),
    Set("id" -> "42", "user id" -> "7", "at" -> time, "score" -> "-1.5")
  )

  test("conditions that name texts, however short they are and however quotes are written") {
    val found =
      Seq("name = 'Bob'", "n IN ('x', \"Bob\")", "n = 'O''Brien'", "n = 'O\\'Brien'", "n LIKE '%jane@a.org%'")
    found.foreach(text => assert(predicates.isIn(text), text))
    Seq("name = 'Bobby'", "Bob = 1", "n = ''", "n = 'it''s'").foreach(text =>
      assert(!predicates.isIn(text), text)
    )
  }

  test("conditions that name numbers and times of a column, also of a field of a struct") {
    val found = Seq(
      "id = 42",
      "(p.id=42)",
      "`user id` = 7",
      s"at = timestamp '$time'",
      "at > '1977-07-07T07:07:07Z'",
      "score<-1.5"
    )
    found.foreach(text => assert(predicates.isIn(text), text))
    Seq("age = 42", "id = 421", "id = 7", "at = '1977-07-08 07:07:07'", "score = 1.5").foreach(text =>
      assert(!predicates.isIn(text), text)
    )
  }
}
