package io.sparklance.spark.search

import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.Assertion

import io.sparklance.spark.{Ring, SparkSuite}

/** `ORDER BY l2(v, array(…)) LIMIT k`: the rows that Spark would choose, by a search. */
class DistanceOrdersSuite extends SparkSuite {

  private def table(rows: String): String = {
    val at = freshPath()
    sql(rows).repartition(1).write.format("lance").option("v.arrow.fixed-size-list.size", "8")
      .option("maxRowsPerFile", "500").save(at)
    at
  }

  /** 2,000 rows in four fragments, the first 40 of which are deleted; half of the vectors occur twice. */
  private lazy val whole: String = {
    val at = table(
      """SELECT id, id % 7 AS kind, transform(sequence(0, 7), d -> CAST(sin((id % 1500) * (d + 1)) AS FLOAT)) AS v
        |FROM range(2000)""".stripMargin
    )
    sql(s"DELETE FROM lance.`$at` WHERE id < 40").collect()
    at
  }

  private val query = "array(0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F, 0.7F, 0.8F)"

  private def isSearched(frame: DataFrame): Boolean =
    frame.queryExecution.executedPlan.toString.contains(", nearest ")

  /** Rows of the same query in a session that does not search. */
  private def plain(text: String): Vector[Row] =
    withSetting("spark.datasource.lance.pushDownFilters", "false")(sql(text).collect().toVector)

  private def assertSame(text: String, searched: Boolean = true): Assertion = {
    val frame = sql(text)
    assert(isSearched(frame) == searched, text)
    assert(frame.collect().toVector == plain(text), text)
  }

  test("distances in ORDER BY, as a column, and with columns that the result lacks") {
    for (metric <- Seq("l2", "cosine", "dot"); k <- Ring.inTurns(1, 10, 300)) {
      assertSame(
        s"SELECT id, $metric(v, $query) AS d FROM lance.`$whole` ORDER BY d, id LIMIT $k",
        searched = false
      )
      val found = sql(s"SELECT $metric(v, $query) AS d FROM lance.`$whole` ORDER BY d LIMIT $k")
      assert(isSearched(found))
      assertSame(s"SELECT $metric(v, $query) AS d FROM lance.`$whole` ORDER BY d LIMIT $k")
      assertSame(s"SELECT $metric($query, v) AS d FROM lance.`$whole` ORDER BY $metric($query, v) LIMIT $k")
    }
    assertSame(s"SELECT id FROM lance.`$whole` WHERE id < 1500 ORDER BY l2(v, $query) LIMIT 7")
    assertSame(s"SELECT id FROM lance.`$whole` WHERE kind = 3 AND id < 1500 ORDER BY l2(v, $query) LIMIT 7")
    assertSame(s"SELECT id FROM lance.`$whole` WHERE id < 1500 ORDER BY l2(v, $query) LIMIT 5 OFFSET 3")
    assertSame(
      s"SELECT sum(id) FROM (SELECT id FROM lance.`$whole` WHERE id < 1500 ORDER BY l2(v, $query) LIMIT 5)"
    )
  }

  test("rows without a vector come first, unless the query says otherwise") {
    val at = table(
      """SELECT id, IF(id % 100 = 3, NULL, transform(sequence(0, 7), d -> CAST(sin(id * (d + 1)) AS FLOAT))) AS v
        |FROM range(1000)""".stripMargin
    )
    assertSame(s"SELECT v FROM lance.`$at` ORDER BY l2(v, $query) LIMIT 3")
    assertSame(s"SELECT v FROM lance.`$at` ORDER BY l2(v, $query) LIMIT 12")
    assertSame(s"SELECT id FROM lance.`$at` WHERE v IS NOT NULL ORDER BY l2(v, $query) LIMIT 12")
    assertSame(s"SELECT id FROM lance.`$at` ORDER BY l2(v, $query) NULLS LAST LIMIT 12")
  }

  test("more rows than there are, NaN, and many at one distance") {
    val at = table(
      """SELECT id, transform(sequence(0, 7), d -> CAST(IF(id = 5, double('NaN'), IF(id < 300, 1, sin(id))) AS FLOAT)) AS v
        |FROM range(400)""".stripMargin
    )
    assertSame(s"SELECT l2(v, $query) FROM lance.`$at` ORDER BY l2(v, $query) LIMIT 600")
    assertSame(s"SELECT l2(v, $query) FROM lance.`$at` ORDER BY l2(v, $query) LIMIT 400")
    assertSame(
      s"SELECT l2(v, $query) FROM lance.`$at` ORDER BY l2(v, array(1, 1, 1, 1, 1, 1, 1, 1)) LIMIT 20"
    )
  }

  test("other orders, conditions of Spark, and batches are left to Spark") {
    for (
      rest <- Seq(
        s"ORDER BY l2(v, $query) DESC LIMIT 3",
        s"ORDER BY l2(v, $query) + 1 LIMIT 3",
        s"WHERE id < 1500 AND hash(kind) % 2 = 0 ORDER BY l2(v, $query) LIMIT 3",
        s"ORDER BY l2(v, v) LIMIT 3",
        s"ORDER BY l2(v, $query)"
      )
    ) assertSame(s"SELECT l2(v, $query) AS d FROM lance.`$whole` $rest", searched = false)
    assert(
      refusal(sql(s"SELECT id FROM lance.`$whole` ORDER BY l2(v, array(1, 2)) LIMIT 3").collect()).contains(
        "equal length"
      )
    )
  }

  test("an index answers if the session allows approximate orders") {
    val at = table(
      "SELECT id, transform(sequence(0, 7), d -> CAST(sin(id * (d + 1)) AS FLOAT)) AS v FROM range(1000)"
    )
    sql(s"CREATE INDEX near ON lance.`$at` USING ivf_flat (v) OPTIONS (num_partitions = 4)")
    val text = s"SELECT id FROM lance.`$at` ORDER BY l2(v, $query) LIMIT 5"
    def explained = sql(text).queryExecution.executedPlan.toString
    assert(explained.contains("nearest 5 by l2 of v, exact"))
    withSetting("spark.datasource.lance.approximateOrder", "true") {
      assert(explained.contains("nearest 5 by l2 of v, by index near of 1 segment"))
      assert(sql(text).collect().toSet.intersect(plain(text).toSet).size >= 4)
      assert(!sql(s"SELECT id FROM lance.`$at` WHERE id < 9 ORDER BY l2(v, $query) LIMIT 5").queryExecution
        .executedPlan.toString.contains("by index"))
    }
  }
}
