package io.sparklance.spark.read

import org.apache.spark.sql.DataFrame

/** For each shape of predicate: the part that the reader evaluates, and the part that stays with Spark. */
final class PredicateShapesSuite extends ScanSuite {
  import PredicateShapesSuite._

  private lazy val path: String = {
    val path = freshPath()
    spark.range(0, 500, 1, 1).selectExpr(columns: _*).write.format("lance").save(path)
    path
  }

  private def read(pushDown: Boolean): DataFrame =
    spark.read.format("lance").option("pushDownFilters", pushDown).load(path)

  test("filters that the reader evaluates alone, finding the same rows as Spark") {
    val truths = read(pushDown = false).selectExpr("id" +: pushed: _*).collect()
    pushed.zipWithIndex.foreach { case (condition, i) =>
      val frame = read(pushDown = true).where(condition).select("id")
      assert(residuals(frame) == Nil, condition)
      val expected = truths.filter(row => !row.isNullAt(i + 1) && row.getBoolean(i + 1)).map(_.getLong(0))
      assert(idsOf(frame) == expected.toVector, condition)
    }
  }

  test("what is left to Spark, alone or beside what the reader evaluates") {
    left.foreach { case (condition, residual) =>
      assert(residuals(read(pushDown = true).where(condition).select("id")) == Seq(residual), condition)
    }
  }
}

private object PredicateShapesSuite {

  val columns: Seq[String] = Seq(
    "id",
    "if(id % 7 = 0, null, cast(id % 20 AS int)) AS i",
    "if(id % 5 = 0, null, id % 2 = 0) AS b",
    "if(id % 6 = 0, null, concat('s', id % 30)) AS s",
    "if(id % 9 = 0, null, cast(concat('x', id % 11) AS binary)) AS x",
    "cast(id % 13 AS decimal(9, 2)) / 4 AS m",
    "if(id % 8 = 0, null, date_add(DATE'2020-01-01', cast(id AS int))) AS day",
    "timestamp_seconds(id * 1000) AS ts",
    "make_dt_interval(0, cast(id AS int)) AS span",
    "if(id % 10 = 0, null, named_struct('n', if(id % 4 = 0, null, id % 15), " +
      "'deep', if(id % 3 = 0, null, named_struct('t', concat('t', id % 8))))) AS st",
    "if(id % 12 = 0, null, array(id, id + 1)) AS l",
    "map('k', id) AS kv"
  )

  val pushed: Seq[String] = Seq(
    // Fields of structs, at any depth.
    "st.n = 3",
    "st.n IS NULL",
    "st.n <=> null",
    "NOT (st.n IN (3, 4))",
    "st.deep.t LIKE 't1%'",
    "st.deep.t IS NOT NULL AND st.n > 5",
    // IN, with nulls and without.
    "i IN (1, 2, null)",
    "i NOT IN (1, 2)",
    "s IN ('s1', 's29')",
    "x IN (X'7831', X'783130')",
    "day IN (DATE'2020-01-02', DATE'2020-03-01')",
    "m IN (0.25, 1.50)",
    "b IN (true, false)",
    // LIKE with one wildcard, at an end.
    "s LIKE 's2%'",
    "s LIKE '%2'",
    "s LIKE '%2%'",
    "s LIKE 's2'",
    "s NOT LIKE 's2%'",
    // Null-safe equality.
    "i <=> 3",
    "NOT (i <=> 3)",
    "b <=> true",
    "s <=> null",
    // NOT, down to single comparisons.
    "NOT (i = 3 OR b)",
    "NOT (NOT b)",
    "NOT (i BETWEEN 3 AND 9 AND s > 's2')",
    "NOT (x = X'7831')",
    // Casts of constants, and of columns that can be undone on the constant.
    "i = 3L",
    "i > '5'",
    "day = '2020-02-01'",
    "day >= cast('2020-02-01' AS timestamp_ntz)",
    "m = 1.50 OR m < 1",
    // Other types.
    "b",
    "b = false",
    "x >= X'7835'",
    "m BETWEEN 0.5 AND 1.75",
    "ts > TIMESTAMP'1970-01-02 00:00:00 UTC'",
    "span < INTERVAL '3' HOUR",
    // Conditions that are known before a row is read.
    "i = null",
    "i = 3 AND 1 = 2"
  )

  val left: Seq[(String, String)] = Seq(
    "i % 2 = 0" -> "((i % 2) = 0)",
    "abs(i) = 3" -> "(abs(i) = 3)",
    "i = id" -> "(CAST(i AS BIGINT) = id)",
    "cast(i AS string) = '3'" -> "(CAST(i AS STRING) = '3')",
    "s LIKE 's%2'" -> "(length(s) >= 2)",
    "s LIKE 's_2'" -> "s LIKE 's_2'",
    "s RLIKE 's.2'" -> "RLIKE(s, 's.2')",
    "upper(s) = 'S2'" -> "(upper(s) = 'S2')",
    "substring(s, 2) = '2' AND i = 3" -> "(substring(s, 2, 2147483647) = '2')",
    "i = 3 OR length(s) = 2" -> "((i = 3) OR (length(s) = 2))",
    "year(day) = 2020" -> "(year(day) = 2020)",
    "st IS NULL" -> "(st IS NULL)",
    "st.n + 1 = 3" -> "((st.`n` + 1L) = 3L)",
    "l IS NULL" -> "(l IS NULL)",
    "l[0] = 3" -> "((l IS NOT NULL) AND (l[0] = 3L))",
    "size(l) = 2" -> "(size(l) = 2)",
    "array_contains(l, 3L)" -> "((l IS NOT NULL) AND array_contains(l, 3L))",
    "kv['k'] = 3" -> "((kv IS NOT NULL) AND (kv['k'] = 3L))",
    "CASE WHEN b THEN i = 3 ELSE i = 4 END" -> "CASE WHEN b THEN (i = 3) ELSE (i = 4) END",
    "m = 1.5D OR m < 1" -> "((CAST(m AS DOUBLE) = 1.5D) OR (m < 1.000000BD))"
  )
}
