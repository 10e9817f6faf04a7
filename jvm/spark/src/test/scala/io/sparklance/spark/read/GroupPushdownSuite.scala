package io.sparklance.spark.read

import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.tags.Slow

import io.sparklance.spark.Ring

/** Groups and sums that the scan computes in part: the answers are Spark's own. */
@Slow
final class GroupPushdownSuite extends ScanSuite {
  import GroupPushdownSuite._

  /** 4 fragments, of which the second is deleted and the others in part; version 1 has all rows. */
  private lazy val path: String = {
    val fresh = freshPath()
    spark.range(0, Rows, 1, 1).selectExpr(columns: _*).write.format("lance")
      .option("maxRowsPerFile", Rows / 4).save(fresh)
    sql(s"DELETE FROM lance.`$fresh` WHERE id % 13 = 5 OR id BETWEEN ${Rows / 4} AND ${Rows / 2 - 1}")
    fresh
  }

  private def read(options: (String, String)*): DataFrame =
    spark.read.format("lance").options(options.toMap).load(path)
  private def table: DataFrame = read("splitRows" -> "900", "batchSize" -> "250")
  private def plain: DataFrame = read("pushDownFilters" -> "false")

  private def scans(frame: DataFrame): Seq[BatchScanExec] =
    collectWithSubqueries(frame.queryExecution.executedPlan) { case scan: BatchScanExec => scan }

  private def isPushed(frame: DataFrame): Boolean = scans(frame).exists(_.scan.isInstanceOf[LanceGroupScan])

  /** A query of the view `t`. */
  private def ask(query: String, of: DataFrame): DataFrame = {
    of.createOrReplaceTempView("t")
    sql(query)
  }

  /** Asserts that the scan aggregates, or that it does not, and that the answer is that of Spark alone.
    * Returns the query.
    */
  private def check(
      query: String,
      pushed: Boolean,
      of: => DataFrame = table,
      by: => DataFrame = plain
  ): DataFrame = {
    val frame = ask(query, of)
    assert(isPushed(frame) == pushed, s"$query\n${frame.queryExecution.optimizedPlan}")
    val found = frame.collect().toSeq
    interpreted {
      val expected = ask(query, by)
      assert(!isPushed(expected) && frame.schema == expected.schema, query)
      differs(found, expected.collect().toSeq).foreach(text => fail(s"$query: $text"))
    }
    frame
  }

  /** Spark's answers are the same without generated code, whose compilation takes longer than a small query.
    */
  private def interpreted(body: => Unit): Unit = withSetting("spark.sql.codegen.wholeStage", "false") {
    withSetting("spark.sql.codegen.factoryMode", "NO_CODEGEN")(body)
  }

  /** Asserts that Spark aggregates, as always without pushdown. */
  private def leave(query: String): Unit = {
    val frame = ask(query, table)
    if (isPushed(frame)) fail(s"$query\n${frame.queryExecution.optimizedPlan}")
  }

  test("a join applies its runtime filter to the keys of groups") {
    val dim = freshPath()
    spark.range(100).selectExpr("id AS place", "id % 50 AS kind").write.parquet(dim)
    spark.read.parquet(dim).createOrReplaceTempView("dim")
    val query = "SELECT id, s, n FROM (SELECT id, sum(m12) s, count(*) n FROM t GROUP BY id) " +
      "JOIN (SELECT /*+ BROADCAST(dim) */ * FROM dim) dim ON id = place WHERE kind = 7"
    val frame = ask(query, table)
    val expected = ask(query, plain).collect().toSet
    assert(expected.nonEmpty && frame.collect().toSet == expected)
    val grouped = collect(frame.queryExecution.executedPlan) {
      case scan: BatchScanExec if scan.runtimeFilters.nonEmpty => scan
    }
    assert(grouped.map(_.scan.getClass) == Seq(classOf[LanceGroupScan]), frame.queryExecution.executedPlan)
    assert(grouped.head.metrics("numOutputRows").value == expected.size)
  }

  test("groups by every type whose values can be compared") {
    val each = keys.map(key =>
      s"SELECT '$key', cast($key AS string), count(*), sum(m12), min(i) FROM t GROUP BY $key"
    )
    each.grouped(10).map(_.mkString(" UNION ALL ")).foreach { query =>
      assert(scans(check(query, pushed = true)).forall(_.scan.isInstanceOf[LanceGroupScan]), query)
    }
    for (key <- otherKeys) leave(s"SELECT $key, count(*), sum(i) FROM t GROUP BY $key")
  }

  test("several keys, and keys alone") {
    for (keys <- Seq("s, i", "b, s, day", "i, b, f, st.in.m", "x, c, st.n")) {
      check(s"SELECT $keys, count(*), avg(d), sum(price) FROM t GROUP BY $keys", pushed = true)
      val distinct = s"SELECT DISTINCT $keys FROM t"
      Ring.inTurns(distinct, s"SELECT count(*) FROM ($distinct)").foreach(check(_, pushed = true))
    }
    check("SELECT i AS a, i AS b, sum(k) FROM t GROUP BY a, b", pushed = true)
    check("SELECT id, sum(m18), count(s) FROM t GROUP BY id", pushed = true)
    check("SELECT i, s, sum(k) FROM t GROUP BY ALL", pushed = true)
    leave("SELECT s, l, count(*) FROM t GROUP BY s, l")
  }

  test("all aggregates of all columns, with groups and without") {
    def all(function: String, columns: Seq[String]): String =
      columns.map(name => s"$function($name)").mkString(", ")
    val groups = Seq("", " GROUP BY s", " GROUP BY b, st.n")
    val aggregates = Seq(
      s"${all("sum", sums)}, count(*)",
      s"${all("avg", averages)}, ${all("sum", averages)}",
      s"${all("min", ordered)}, ${all("max", ordered)}, sum(i)",
      s"${all("count", keys ++ Seq("m19", "m38"))}, sum(i)"
    )
    for (several <- aggregates; by <- groups.head +: Ring.inTurns(groups.tail: _*))
      check(s"SELECT $several FROM t$by", pushed = true)
    for (column <- unsummed; by <- Ring.inTurns(groups: _*)) leave(s"SELECT sum($column), count(*) FROM t$by")
    for (column <- unsummed ++ Seq("id", "k", "st.n"); by <- Ring.inTurns(groups: _*))
      leave(s"SELECT avg($column), count(*) FROM t$by")
    check(s"SELECT ${all("sum", unsummed)}, count(*) FROM t GROUP BY s", pushed = false)
  }

  test("arithmetic of decimals and of doubles within sums") {
    val groups = Seq("", " GROUP BY s", " GROUP BY i, b")
    for (by <- groups)
      check(s"SELECT ${terms.map(term => s"sum($term)").mkString(", ")} FROM t$by", pushed = true)
    for (term <- otherTerms; by <- Ring.inTurns(groups: _*)) leave(s"SELECT sum($term), count(*) FROM t$by")
    withSetting("spark.sql.decimalOperations.allowPrecisionLoss", "false") {
      check("SELECT s, sum(price * (1 - disc)), sum(m18 * m18) FROM t GROUP BY s", pushed = true)
      check("SELECT s, sum(m10 * disc * tax) FROM t GROUP BY s", pushed = true)
    }
  }

  test("the query of TPC-H with the most aggregates") {
    check(
      """SELECT s, b, sum(m12), sum(price), sum(price * (1 - disc)), sum(price * (1 - disc) * (1 + tax)),
        |  avg(m12), avg(price), avg(disc), count(*) FROM t
        |WHERE day <= DATE'2021-09-02' - INTERVAL '90' DAY GROUP BY s, b ORDER BY s, b""".stripMargin,
      pushed = true
    )
  }

  test("filters come first, and so does everything else that selects rows") {
    val wheres =
      Seq("i > 40", "s IS NULL OR k = 3", "k = -1", "d > 3")
    for (where <- wheres; by <- Ring.inTurns("", " GROUP BY s"))
      check(s"SELECT count(*), sum(i), sum(d), min(m12), avg(price) FROM t WHERE $where$by", pushed = true)
    check("SELECT s, count(*) FROM t WHERE d > 3 GROUP BY s", pushed = true)
    check("SELECT count(*) FROM t WHERE i > 30", pushed = true)
    check("SELECT s, count(*) FROM t WHERE length(s) > 1 GROUP BY s", pushed = false)
    check("SELECT s, sum(i) FROM t WHERE i > (SELECT avg(i) FROM t) GROUP BY s", pushed = true)
    check("SELECT s, sum(i) AS total FROM t GROUP BY s HAVING total > 100 AND count(*) > 2", pushed = true)
    check("SELECT sum(i) FROM t HAVING sum(i) < 0", pushed = true)
    for (seed <- Ring.inTurns(1, 2, 3))
      check(s"SELECT s, count(*), sum(i) FROM t TABLESAMPLE (30 PERCENT) REPEATABLE ($seed) GROUP BY s", true)
    check("SELECT s, sum(i) FROM (SELECT * FROM t ORDER BY id LIMIT 100) GROUP BY s", pushed = false)
    check("SELECT count(i), sum(i) FROM (SELECT * FROM t LIMIT 50 OFFSET 9)", pushed = false)
  }

  test("metadata columns select rows, but are no keys or values") {
    for (where <- Seq("_fragid = 2", "_rowid < 700", "_fragid > 9", "_rowaddr % 3 = 1")) {
      val isPushed = !where.contains("%")
      check("SELECT s, count(*), sum(i) FROM t GROUP BY s", isPushed, table.where(where), plain.where(where))
      check("SELECT sum(i), avg(d) FROM t", isPushed, table.where(where), plain.where(where))
    }
    def numbered(frame: DataFrame): DataFrame = frame.select("*", "_rowid", "_fragid")
    for (
      query <-
        Seq("SELECT _fragid, sum(i) FROM t GROUP BY _fragid", "SELECT s, max(_rowid) FROM t GROUP BY s")
    )
      check(query, pushed = false, numbered(table), numbered(plain))
  }

  test("what is left to Spark") {
    val asked = Ring.half(left)
    left.diff(asked).foreach(leave)
    asked.foreach(check(_, pushed = false))
    assert(!isPushed(ask("SELECT s, sum(i) FROM t GROUP BY s", plain)))
  }

  test("within larger queries") {
    for (query <- larger) check(query, pushed = true)
    for (set <- Seq("ROLLUP(s, i)", "CUBE(s, b)", "GROUPING SETS ((s), (i, b), ())"))
      check(s"SELECT count(*), sum(m12), max(d) FROM t GROUP BY $set", pushed = false)
  }

  test("earlier versions, and tables without rows") {
    val query = "SELECT s, count(*), sum(m12), avg(d) FROM t GROUP BY s"
    check(
      query,
      pushed = true,
      read("version" -> "1"),
      read("version" -> "1", "pushDownFilters" -> "false")
    )
    val empty = freshPath()
    table.limit(0).write.format("lance").save(empty)
    def without = spark.read.format("lance").option("pushDownFilters", "false").load(empty)
    check("SELECT sum(i), avg(d), count(s), min(m12), count(*) FROM t", pushed = true, load(empty), without)
    check(query, pushed = true, load(empty), without)
    assert(ask("SELECT sum(i), avg(price), count(*) FROM t", load(empty)).head() == Row(null, null, 0L))
  }

  test("without ANSI mode, with sums that overflow or not") {
    withSetting("spark.sql.ansi.enabled", "false") {
      check("SELECT s, sum(i), sum(m12), avg(d), avg(m18), sum(k) FROM t GROUP BY s", pushed = true)
      check("SELECT s, sum(price * (1 - disc)) FROM t GROUP BY s", pushed = false)
      check("SELECT s, sum(big), count(*) FROM t GROUP BY s", pushed = true)
      check("SELECT sum(most), sum(least) FROM t", pushed = true)
      check("SELECT s, avg(most), avg(big) FROM t GROUP BY s", pushed = false)
    }
  }

  test("sums that overflow are Spark's errors, and nulls of its try functions") {
    for (frame <- Seq(table, plain); column <- Seq("most", "least"); by <- Ring.inTurns("", " GROUP BY s")) {
      val thrown = intercept[Exception](ask(s"SELECT sum($column), max(i) FROM t$by", frame).collect())
      val causes = Iterator.iterate[Throwable](thrown)(_.getCause).takeWhile(_ != null)
      assert(causes.exists(_.getMessage.contains("[ARITHMETIC_OVERFLOW]")), thrown)
    }
    for (by <- Seq("", " GROUP BY s")) {
      check(s"SELECT try_sum(most), try_sum(i), try_sum(m12) FROM t$by", pushed = true)
      check(s"SELECT try_avg(i), try_avg(m12), try_avg(d) FROM t$by", pushed = true)
      check(s"SELECT avg(most), avg(least), avg(big) FROM t$by", pushed = false)
      check(s"SELECT try_avg(most), count(most) FROM t$by", pushed = false)
      check(s"SELECT sum(cast(most AS decimal(20, 0))) FROM t$by", pushed = true)
      check(s"SELECT try_avg(m18 * cast(10000000000000 AS decimal(19, 0))) FROM t$by", pushed = false)
    }
    assert(ask("SELECT try_sum(most) FROM t", table).head().isNullAt(0))
  }

  test("products that exceed 38 digits are errors, as they are to Spark") {
    val query = "SELECT sum((m18 + 1000000) * most * most) FROM t WHERE most IS NOT NULL"
    for (frame <- Seq(table, plain)) {
      val asked = query.replace("most", "cast(most AS decimal(20, 0))")
      val thrown = intercept[Exception](ask(asked, frame).collect())
      val causes = Iterator.iterate[Throwable](thrown)(_.getCause).takeWhile(_ != null)
      val told =
        if (isPushed(ask(asked, frame))) "a decimal exceeds 38 digits"
        else "cannot be represented as Decimal(38"
      assert(causes.exists(_.getMessage.contains(told)), thrown)
    }
    assert(isPushed(ask(query.replace("most", "cast(most AS decimal(20, 0))"), table)))
  }

  test("least and greatest zeros keep their signs") {
    check("SELECT s, min(zero), max(zero), sum(zero) FROM t GROUP BY s", pushed = true)
    val row = ask("SELECT min(zero), max(zero), sum(i) FROM t", table).head()
    assert(row.get(0).toString == "-0.0" && row.get(1).toString == "-0.0")
  }

  test("more groups than a task keeps") {
    val many = freshPath()
    spark.range(0, 330000, 1, 1).selectExpr("id % 300000 AS k", "concat('key ', id % 290000) AS s", "id AS v")
      .write.format("lance").save(many)
    def answer(query: String): Row = {
      val frame = ask(query, load(many))
      assert(isPushed(frame), query)
      frame.head()
    }
    val sum = 330000L * 329999 / 2
    val once = "SELECT count(*), sum(n), sum(v) FROM (SELECT k, count(*) n, sum(v) v FROM t GROUP BY k)"
    assert(answer(once) == Row(300000L, 330000L, sum))
    val twice =
      "SELECT count(*), sum(n), max(v) FROM (SELECT s, k, count(*) n, sum(v) v FROM t GROUP BY s, k)"
    assert(answer(twice) == Row(330000L, 330000L, 329999L))
  }

  test("EXPLAIN and metrics tell what the scan does") {
    val frame = ask("SELECT s, st.n, sum(m12), count(*), min(d) FROM t WHERE i > 3 GROUP BY s, st.n", table)
    val description = scans(frame).head.scan.description
    val shown = "groups [s, st.n], aggregates [SUM(m12), COUNT(*), MIN(d)]"
    assert(description.contains(shown) && description.contains("filters ["), description)
    assert(frame.queryExecution.executedPlan.toString.contains(shown))
    assert(ask(
      "SELECT sum(i) FROM t",
      table
    ).queryExecution.executedPlan.toString.contains("aggregates [SUM(i)]"))
    val _ = frame.collect()
    val metrics = scan(frame).metrics.map { case (name, metric) => name -> metric.value }
    val splits = scans(frame).head.scan.toBatch.planInputPartitions().length
    assert(
      splits > 1 && metrics("splits") == splits && metrics("pagesRead") > 0,
      metrics
    )
    assert(metrics("fragmentsRead") == 3 && metrics("batches") > 0 && metrics("rowsFiltered") > 0, metrics)
  }

  test("equal scans are read once, others each") {
    def reused(query: String): Int = {
      val frame = ask(query, table)
      val _ = frame.collect()
      collectWithSubqueries(frame.queryExecution.executedPlan) { case reused: ReusedExchangeExec =>
        reused
      }.size
    }
    def part(aggregate: String, where: String = "true"): String =
      s"SELECT s, $aggregate AS a FROM t WHERE $where GROUP BY s"
    assert(reused(s"${part("sum(i)")} UNION ALL ${part("sum(i)")}") == 1)
    assert(reused(s"${part("sum(i)")} UNION ALL ${part("sum(k)")}") == 0)
    assert(reused(s"${part("sum(i)")} UNION ALL ${part("sum(i)", "i > 4")}") == 0)
  }

  test("estimates are no smaller than those of Spark's own aggregates") {
    for (
      query <- Seq("SELECT id, count(*) FROM t GROUP BY id", "SELECT s, sum(m12), avg(d) FROM t GROUP BY s")
    ) {
      def bytes(of: DataFrame): BigInt = ask(query, of).queryExecution.optimizedPlan.stats.sizeInBytes
      assert(bytes(table) >= bytes(plain) * 9 / 10, query)
      assert(bytes(plain) > 1000)
    }
    val limit =
      ask("SELECT id, count(*) FROM t GROUP BY id", plain).queryExecution.optimizedPlan.stats.sizeInBytes
    withSetting("spark.sql.autoBroadcastJoinThreshold", (limit * 9 / 10).toString) {
      val joined =
        ask(
          "SELECT a.id, n FROM range(9000000) a JOIN (SELECT id, count(*) n FROM t GROUP BY id) b USING (id)",
          table
        )
      assert(collect(joined.queryExecution.sparkPlan) { case join: BroadcastHashJoinExec => join }.isEmpty)
    }
  }

  test("streams aggregate with Spark") {
    val query = spark.readStream.format("lance").load(path).groupBy("s").count().writeStream
      .format("memory").queryName("streamed").outputMode("complete")
      .trigger(org.apache.spark.sql.streaming.Trigger.AvailableNow).start()
    query.awaitTermination()
    assert(rows(sql("SELECT * FROM streamed")) == rows(plain.groupBy("s").count()))
  }
}

private object GroupPushdownSuite {
  val Rows = 6000L

  val columns: Seq[String] = Seq(
    "id",
    "if(id % 7 = 0, null, cast(id % 97 AS int)) AS i",
    "cast(id % 256 - 128 AS tinyint) AS y",
    "if(id % 4 = 0, null, cast(id % 300 - 100 AS smallint)) AS h",
    "if(id % 11 = 0, null, id * 1000003 % 1013) AS k",
    "if(id % 5 = 0, null, id % 2 = 0) AS b",
    "if(id % 3 = 0, null, cast((id % 21 - 7) / 3 AS float)) AS f",
    "if(id % 500 = 0, double('NaN'), if(id % 10 = 0, null, id % 31 / 7d)) AS d",
    "CASE id % 5 WHEN 0 THEN -0.0d WHEN 1 THEN 0.0d WHEN 2 THEN double('NaN') WHEN 3 THEN null ELSE 1d END AS z",
    "-0.0d AS zero",
    "if(id % 6 = 0, null, concat('s', id % 23)) AS s",
    "if(id % 9 = 0, null, cast(concat(repeat('x', id % 3), id % 11) AS binary)) AS x",
    "cast(id % 4000 / 100 AS decimal(4, 2)) AS m4",
    "cast(id % 77 AS decimal(9, 2)) AS m9",
    "if(id % 8 = 0, null, cast(id * 1234.5 AS decimal(10, 2))) AS m10",
    "if(id % 8 = 1, null, cast(id * 98765.43 - 9999 AS decimal(12, 2))) AS m12",
    "if(id % 8 = 2, null, cast(id * 999999999 AS decimal(18, 4))) AS m18",
    "cast(id % 40 AS decimal(19, 2)) AS m19",
    "cast(id - 3 AS decimal(38, 10)) AS m38",
    "cast(id % 1000 * 90.01 AS decimal(15, 2)) AS price",
    "cast(id % 11 / 100 AS decimal(15, 2)) AS disc",
    "cast(id % 9 / 100 AS decimal(15, 2)) AS tax",
    "if(id % 8 = 0, null, date_add(DATE'2020-01-01', cast(id % 900 AS int))) AS day",
    "timestamp_seconds(id % 50 * 1000) AS ts",
    "cast(timestamp_seconds(id % 60 * 1000) AS timestamp_ntz) AS ntz",
    "make_dt_interval(0, cast(id % 15 AS int)) AS span",
    "make_ym_interval(0, cast(id % 15 AS int)) AS months",
    "cast(make_ym_interval(cast(id % 17 AS int), 0) AS INTERVAL YEAR) AS years",
    "cast(make_dt_interval(0, cast(id % 77 AS int)) AS INTERVAL DAY TO HOUR) AS hours",
    "cast(id % 30 AS char(4)) AS c",
    "cast(id % 31 AS varchar(8)) AS vc",
    """if(id % 10 = 0, null, named_struct('n', if(id % 4 = 0, null, id % 15), 't', concat('t', id % 3),
      |  'in', if(id % 6 = 1, null, named_struct('m', cast(id % 19 AS decimal(12, 2)), 's', string(id % 5))))) AS st"""
      .stripMargin,
    "if(id % 12 = 0, null, array(id % 3, 1)) AS l",
    "map('a', id % 3) AS map",
    "if(id % 3 = 0, 9223372036854775807, if(id % 3 = 1, -9223372036854775808, null)) AS big",
    "if(id % 3 = 0, null, 9223372036854775807) AS most",
    "if(id % 3 = 1, null, -9223372036854775807 - 1) AS least",
    "cast(null AS int) AS none"
  )

  val ordered: Seq[String] = Seq("id", "i", "y", "h", "k", "b", "f", "d", "m4", "m9", "m10", "m12", "m18") ++
    Seq("day", "ts", "ntz", "span", "months", "years", "hours", "st.n", "st.in.m", "big", "none")
  val keys: Seq[String] = ordered ++ Seq("z", "s", "x", "c", "vc", "st.t", "st.in.s")
  val otherKeys: Seq[String] =
    Seq("m19", "m38", "st", "l", "i + 1", "substr(s, 1, 2)", "month(day)")

  val sums: Seq[String] =
    Seq("id", "i", "y", "h", "k", "f", "d", "z", "m10", "m12", "m18", "price", "st.n", "st.in.m", "none")
  val averages: Seq[String] =
    Seq("i", "y", "h", "f", "d", "z", "m10", "m12", "m18", "price", "st.in.m", "none")
  val unsummed: Seq[String] =
    Seq("m4", "m9", "m19", "m38", "span", "months", "years", "i + 1", "i * k", "-i")

  val terms: Seq[String] = Seq(
    "price * (1 - disc)",
    "price * (1 - disc) * (1 + tax)",
    "price * disc - m12",
    "m18 * m18",
    "m18 * m18 - m10",
    "m10 + i",
    "m4 * m9",
    "cast(i AS decimal(12, 2)) * m4",
    "cast(m12 AS decimal(20, 5))",
    "cast(k AS decimal(20, 0)) + 0.5",
    "d * (1 - f) + 2.5",
    "d * d - z",
    "f * 2",
    "cast(f AS double)",
    "st.in.m * disc"
  )
  val otherTerms: Seq[String] = Seq(
    "m12 / 2",
    "m12 % 7",
    "m18 * m18 * m9",
    "m19 * 2",
    "cast(m12 AS decimal(10, 0))",
    "cast(d AS decimal(12, 2))",
    "cast(s IS NULL AS int)",
    "f + f",
    "-m12",
    "abs(m12)",
    "cast(i AS bigint) + k",
    "try_multiply(m12, m12)",
    "i * d",
    "if(b, m12, 0)",
    "coalesce(m12, 0)"
  )

  val left: Seq[String] = Seq(
    "SELECT count(*) FILTER (WHERE i > 4) FROM t",
    "SELECT s, sum(i) FILTER (WHERE i > 4), count(*) FROM t GROUP BY s",
    "SELECT s, count(DISTINCT i) FROM t GROUP BY s",
    "SELECT s, sum(DISTINCT i), count(*) FROM t GROUP BY s",
    "SELECT s, avg(DISTINCT i) FROM t GROUP BY s",
    "SELECT count(DISTINCT i), count(DISTINCT s), sum(k) FROM t",
    "SELECT count(DISTINCT 1), sum(i) FROM t",
    "SELECT s, count(l), max(l) FROM t GROUP BY s",
    "SELECT s, count(l) FROM t GROUP BY s",
    "SELECT s, count(map) FROM t GROUP BY s",
    "SELECT s, count(st) FROM t GROUP BY s",
    "SELECT i, min(s), max(s) FROM t GROUP BY i",
    "SELECT i, min(x) FROM t GROUP BY i",
    "SELECT max(s), sum(i) FROM t",
    "SELECT i, max(m38) FROM t GROUP BY i",
    "SELECT s, stddev(d), count(*) FROM t GROUP BY s",
    "SELECT s, max_by(i, id) FROM t GROUP BY s",
    "SELECT s, size(collect_set(i)) FROM t GROUP BY s",
    "SELECT s, count(i, k) FROM t GROUP BY s",
    "SELECT s, avg(k) FROM t GROUP BY s",
    "SELECT s, sum(cast(s IS NULL AS int)) FROM t GROUP BY s",
    "SELECT id, sum(k) OVER (PARTITION BY s ORDER BY id) FROM t",
    // Spark plans the inner scan before it makes a join of the subquery.
    "SELECT id FROM t o WHERE m12 > (SELECT avg(m12) FROM t WHERE t.s = o.s)"
  )

  val larger: Seq[String] = Seq(
    "SELECT sum(i) + 1, max(i) - min(i), sum(i) / count(i) FROM t",
    "SELECT concat(s, '!'), sum(i) * 2 FROM t GROUP BY s ORDER BY 2, 1 LIMIT 3",
    "SELECT s, n, rank() OVER (ORDER BY n, s) FROM (SELECT s, count(*) n FROM t GROUP BY s)",
    "SELECT a.s, a.n, b.m FROM (SELECT s, count(*) n FROM t GROUP BY s) a " +
      "JOIN (SELECT s, sum(m12) m FROM t GROUP BY s) b ON a.s = b.s",
    "SELECT t.id, n FROM t JOIN (SELECT i, count(*) n FROM t GROUP BY i) g ON t.i = g.i WHERE t.id < 50",
    "SELECT id FROM t WHERE i = (SELECT max(i) FROM t WHERE k > 5) AND id < 1000",
    "SELECT s, bool_or(b), every(b) FROM t GROUP BY s",
    "SELECT s FROM t GROUP BY s HAVING sum(i) > 100 EXCEPT SELECT st.t FROM t",
    "SELECT id FROM t WHERE s IN (SELECT s FROM t GROUP BY s HAVING count(i) > 100) AND id < 99",
    "SELECT max(n), min(n), sum(n) FROM (SELECT s, b, sum(i) n FROM t GROUP BY s, b)",
    "WITH g AS (SELECT i, sum(price) p FROM t GROUP BY i) SELECT * FROM g WHERE p = (SELECT max(p) FROM g)",
    "SELECT sum(i) FROM t UNION ALL SELECT sum(k) FROM t"
  )

  /** The first difference between multisets of rows. Doubles may differ in their last digits. */
  def differs(found: Seq[Row], expected: Seq[Row]): Option[String] =
    if (found.size != expected.size) Some(s"${found.size} rows instead of ${expected.size}")
    else
      sorted(found).zip(sorted(expected)).collectFirst {
        case (a, b) if !a.toSeq.zip(b.toSeq).forall { case (x, y) => same(x, y) } => s"$a instead of $b"
      }

  private def sorted(rows: Seq[Row]): Seq[Row] = rows.map(row => key(row) -> row).sortBy(_._1).map(_._2)

  private def key(row: Row): (String, String) = {
    val (doubles, others) = row.toSeq.partition(_.isInstanceOf[Double])
    (
      others.map(show).mkString("|"),
      doubles.map { case d: Double => f"$d%.4f"; case other => s"$other" }.mkString("|")
    )
  }

  private def show(cell: Any): String = cell match {
    case bytes: Array[Byte] => bytes.mkString("[", ",", "]")
    case other => String.valueOf(other)
  }

  private def same(a: Any, b: Any): Boolean = (a, b) match {
    case (x: Double, y: Double) =>
      x.toString == y.toString || math.abs(x - y) <= 1e-9 * math.max(math.abs(x), math.abs(y))
    case _ => show(a) == show(b)
  }
}
