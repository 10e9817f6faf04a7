package io.sparklance.spark.read

import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.tags.Slow

/** MIN, MAX and COUNT are answered by the scan, as Spark answers them from the rows. */
@Slow
final class AggregatesSuite extends ScanSuite {
  import AggregatesSuite._

  /** 3 fragments, of two zones each. */
  private lazy val path: String = {
    val path = freshPath()
    spark.range(0, Rows.toLong, 1, 1).selectExpr(columns: _*).write.format("lance")
      .option("maxRowsPerFile", Rows / 3).save(path)
    path
  }

  private def read(options: (String, String)*): DataFrame =
    spark.read.format("lance").options(options.toMap).load(path)
  private def plain: DataFrame = read("pushDownFilters" -> "false")

  private def scans(frame: DataFrame): Seq[Scan] =
    collect(frame.queryExecution.executedPlan) { case scan: BatchScanExec => scan.scan }

  private def isPushed(frame: DataFrame): Boolean = scans(frame).exists(_.isInstanceOf[LanceAggregateScan])

  private def metrics(frame: DataFrame): Map[String, Long] = {
    val _ = frame.collect()
    scan(frame).metrics.map { case (k, v) => k -> v.value }
  }

  private def all(name: String): Seq[String] = Seq(s"min($name)", s"max($name)", s"count($name)")

  test("least and greatest values of all types that have an order, and counts of all") {
    val asked = sorted.flatMap(all) ++ unsorted.map(name => s"count($name)") :+ "count(*)"
    val expected = plain.selectExpr(asked: _*).head()
    for (options <- Seq(Map.empty[String, String], Map("splitRows" -> "7000"))) {
      val frame = read(options.toSeq: _*).selectExpr(asked: _*)
      assert(isPushed(frame))
      assert(frame.head() == expected, options)
    }
    for (function <- Seq("min", "max")) {
      val frame = read().selectExpr(sorted.map(name => s"$function($name)"): _*)
      val wanted = asked.indices.filter(asked(_).startsWith(function)).map(expected.get)
      assert(isPushed(frame) && frame.head() == Row.fromSeq(wanted))
    }
  }

  test("statistics answer, and the plan says so") {
    val frame = read().selectExpr("min(i)", "max(ts)", "count(s)")
    val told = metrics(frame)
    assert(told("rowsSkipped") == Rows && told("pagesRead") == 0 && told("bytesRead") == 0, told)
    val plan = frame.queryExecution.executedPlan.toString
    assert(plan.contains("version 1, aggregates [MIN(i), MAX(ts), COUNT(s)], "), plan)
    assert(
      metrics(read().selectExpr("max(text)"))("rowsSkipped") < Rows,
      "texts are longer than what is kept"
    )
  }

  test("aggregates of selected rows, and of fragments without any") {
    val asked = Seq("min(id)", "max(s)", "count(i)", "count(*)")
    for (
      where <- Seq("_fragid = 1", "_fragid > 9", s"_rowaddr BETWEEN 100 AND ${(2L << 32) + 7}", "_fragid < 9")
    ) {
      val frame = read().where(where).selectExpr(asked: _*)
      assert(isPushed(frame), where)
      assert(frame.head() == plain.where(where).selectExpr(asked: _*).head(), where)
    }
  }

  test("statistics do not answer for groups, sums, filters and samples: tasks aggregate the rows") {
    val frames = Seq[DataFrame => DataFrame](
      _.where("id > 70").selectExpr("min(id)"),
      _.groupBy("b").agg("i" -> "max"),
      _.selectExpr("min(id)", "sum(id)"),
      _.sample(0.1, seed = 3).selectExpr("max(id)")
    )
    frames.foreach { ask =>
      val frame = ask(read())
      assert(scans(frame).map(_.getClass) == Seq(classOf[LanceGroupScan]), frame.queryExecution.optimizedPlan)
      assert(frame.collect().toSet == ask(plain).collect().toSet)
    }
  }

  test("other aggregates are left to Spark") {
    val frames = Seq[DataFrame => DataFrame](
      _.where("id > 70").selectExpr("min(text)"),
      _.groupBy("b").agg("s" -> "max"),
      _.selectExpr("count(DISTINCT i)"),
      _.selectExpr("min(s)", "sum(id)"),
      _.groupBy("b").agg("w" -> "sum"),
      _.groupBy("w").count(),
      _.selectExpr("min(id + 1)"),
      _.selectExpr("max(l)"),
      _.selectExpr("max(_rowaddr)"),
      _.limit(10).selectExpr("max(id)"),
      _.selectExpr("max(id) FILTER (WHERE id < 40)")
    )
    frames.foreach { ask =>
      val frame = ask(read())
      assert(scans(frame).forall(_.isInstanceOf[LanceScan]), frame.queryExecution.optimizedPlan)
      assert(frame.collect().toSet == ask(plain).collect().toSet)
    }
    assert(!isPushed(plain.selectExpr("max(id)")))
  }

  test("without statistics, aggregates are computed from the values") {
    val bare = freshPath()
    read().write.format("lance").option("statistics", "none").save(bare)
    val frame = load(bare).selectExpr("min(i)", "max(s)", "count(st.n)")
    assert(frame.head() == plain.selectExpr("min(i)", "max(s)", "count(st.n)").head())
    assert(isPushed(frame) && metrics(frame)("rowsSkipped") == 0)
    assert(refusal(read().write.format("lance").option("statistics", "all").save(freshPath()))
      .contains("it must be zones or none"))
  }

  test("aggregates of no rows") {
    val empty = freshPath()
    spark.range(0).selectExpr("id", "cast(id AS string) AS s").write.format("lance").save(empty)
    assert(load(empty).selectExpr("min(id)", "max(s)", "count(s)", "count(*)").head() ==
      Row(null, null, 0L, 0L))
  }

  test("within larger queries") {
    read().createOrReplaceTempView("aggregated")
    assert(sql("SELECT id FROM aggregated WHERE id = (SELECT max(id) FROM aggregated)").head() ==
      Row(Rows - 1L))
    assert(sql("SELECT max(i) - min(i), max(id) + 1 FROM aggregated").head() == Row(96, Rows.toLong))
    assert(sql("SELECT max(id) AS m FROM aggregated HAVING m < 0").collect().isEmpty)
  }
}

private object AggregatesSuite {
  val Rows = 30000

  val sorted: Seq[String] = Seq(
    "id",
    "i",
    "y",
    "b",
    "f",
    "d",
    "z",
    "n",
    "s",
    "x",
    "m",
    "w",
    "day",
    "ts",
    "ntz",
    "span",
    "years",
    "hours",
    "st.n",
    "text",
    "none"
  )
  val unsorted: Seq[String] = Seq("v", "u")

  val columns: Seq[String] = Seq(
    "id",
    "if(id % 7 = 0, null, cast(id % 97 AS int)) AS i",
    "cast(id % 256 - 128 AS byte) AS y",
    "if(id % 5 = 0, null, id % 2 = 0) AS b",
    "if(id % 3 = 0, null, cast(id - 7 AS float) / 3) AS f",
    "if(id = 20000, double('NaN'), if(id % 1000 = 0, null, id / 7d)) AS d",
    "if(id % 2 = 0, -0.0d, if(id > 25000, 0.0d, -0.0d)) AS z",
    "if(id % 2 = 0, double('NaN'), null) AS n",
    "if(id % 6 = 0, null, concat('s', id % 30000)) AS s",
    "if(id % 9 = 0, null, cast(concat('x', id % 11) AS binary)) AS x",
    "cast(id % 13 AS decimal(9, 2)) / 4 AS m",
    "cast(id - 3 AS decimal(38, 10)) * cast('123456789012345678' AS decimal(38, 0)) AS w",
    "if(id % 8 = 0, null, date_add(DATE'2020-01-01', cast(id AS int))) AS day",
    "timestamp_seconds(id * 1000) AS ts",
    "cast(timestamp_seconds(id * 1000) AS timestamp_ntz) AS ntz",
    "make_dt_interval(0, cast(id AS int)) AS span",
    "cast(make_ym_interval(cast(id % 17 AS int), 0) AS INTERVAL YEAR) AS years",
    "cast(make_dt_interval(0, cast(id AS int)) AS INTERVAL DAY TO HOUR) AS hours",
    "if(id % 10 = 0, null, named_struct('n', if(id % 4 = 0, null, id % 15))) AS st",
    "concat(repeat('long ', 20), id) AS text",
    "cast(null AS int) AS none",
    "if(id % 12 = 0, null, array(id, id + 1)) AS l",
    "if(id % 11 = 0, null, cast(id AS string)) AS u",
    "if(id % 11 = 1, null, id) AS v"
  )
}
