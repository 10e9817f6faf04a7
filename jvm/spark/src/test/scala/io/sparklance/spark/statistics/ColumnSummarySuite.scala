package io.sparklance.spark.statistics

import org.scalatest.funsuite.AnyFunSuite

final class ColumnSummarySuite extends AnyFunSuite {
  private val numbers =
    ColumnSummary("1f0c", "int", ValueCounts(5, 1, 3), ValueSizes(4, 4), Some(ValueBounds("-1", "7")))

  test("statistics have a fixed text, which reads back as they are") {
    assert(
      numbers.toJson ==
        """{"files":"1f0c","type":"int","rows":5,"nulls":1,"distinct":3,"average":4,"longest":4,"min":"-1","max":"7"}"""
    )
    val texts = numbers.copy(dataType = "string", bounds = None)
    for (summary <- Seq(numbers, texts)) assert(ColumnSummary.ofJson(summary.toJson).contains(summary))
  }

  test("texts of other forms are no statistics") {
    val cut = numbers.toJson.indices.map(numbers.toJson.take)
    val others =
      Seq("null", "[]", "7", "{}", numbers.toJson.replace("5", "-5"), numbers.toJson.replace("5", "\"5\"")) ++
        Seq(numbers.toJson.replace(":1,", ":9,"), numbers.toJson.replace("5", "99999999999999999999"))
    for (text <- cut ++ others) assert(ColumnSummary.ofJson(text).isEmpty, text)
  }
}
