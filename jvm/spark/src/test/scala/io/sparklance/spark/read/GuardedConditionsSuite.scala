package io.sparklance.spark.read

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.internal.SQLConf
import org.scalatest.tags.Slow

import io.sparklance.spark.Ring

/** Conditions that Spark's translation for connectors fails on are evaluated by Spark. */
@Slow
final class GuardedConditionsSuite extends ScanSuite {

  private val columns = Seq(
    "id",
    "element_at(array(true, false, null), cast(id % 3 AS int) + 1) AS a",
    "element_at(array(true, false, null), cast(id / 3 % 3 AS int) + 1) AS b",
    "element_at(array('true', 'no', null, 'f'), cast(id % 4 AS int) + 1) AS s",
    "element_at(array(0, 1, null, 7), cast(id % 4 AS int) + 1) AS i"
  )

  private val conditions = Seq(
    "coalesce(a AND NULL, b)",
    "coalesce(NULL OR a, b)",
    "(a AND NULL) <=> b",
    "(a OR NULL) <=> (b AND CAST(NULL AS BOOLEAN))",
    "CASE WHEN a THEN b AND NULL ELSE NOT (b OR NULL) END",
    "NOT coalesce(a AND NULL, b OR i > NULL)",
    "(NOT CAST(s AS BOOLEAN)) <=> a",
    "NOT CAST(s AS BOOLEAN)",
    "a AND NOT CAST(i AS BOOLEAN)",
    "coalesce(a OR CAST(i AS BOOLEAN), b)",
    "CAST(s AS BOOLEAN) OR a",
    "CAST(s AS BOOLEAN)",
    "(a AND NULL) IS NULL",
    "if(a, CAST(s AS BOOLEAN), b OR NULL)",
    "(CAST(s AS BOOLEAN) AND CAST(i AS BOOLEAN)) = b"
  )

  private def found(frame: DataFrame): Vector[Long] = frame.collect().map(_.getLong(0)).sorted.toVector

  private def withAnsi(on: Boolean)(body: => Unit): Unit = {
    val before = spark.conf.get(SQLConf.ANSI_ENABLED.key)
    spark.conf.set(SQLConf.ANSI_ENABLED.key, on)
    try body
    finally spark.conf.set(SQLConf.ANSI_ENABLED.key, before)
  }

  private def rows: DataFrame = spark.range(0, 36, 1, 1).selectExpr(columns: _*)

  private def written(): String = {
    val path = freshPath()
    rows.write.format("lance").save(path)
    path
  }

  private lazy val ours = written()

  /** Rows as above without a connector: Spark evaluates their conditions, and most without a job. */
  private lazy val theirs: DataFrame = spark.createDataFrame(rows.collectAsList(), rows.schema)

  test("a filter finds the rows that Spark finds") {
    for (condition <- conditions; ansi <- Ring.inTurns(true, false)) withAnsi(ansi) {
      val expected = found(theirs.where(condition).select("id"))
      assert(found(load(ours).where(condition).select("id")) == expected, s"$condition, ANSI $ansi")
      ()
    }
  }

  test("DELETE removes the rows that a filter finds") {
    val path = written()
    for (condition <- conditions; ansi <- Ring.inTurns(true, false)) withAnsi(ansi) {
      sql(s"DELETE FROM lance.`$path` WHERE $condition")
      val kept = found(theirs.where(s"NOT coalesce($condition, false)").select("id"))
      assert(found(load(path).select("id")) == kept, s"$condition, ANSI $ansi")
      sql(s"CALL lance.system.restore('$path', 1)")
      ()
    }
  }

  test("the part of a condition that needs no guard is evaluated by the reader") {
    val frame = load(ours).where("i > 0 AND coalesce(a AND NULL, b)").select("id")
    assert(residuals(frame).size == 1 && !residuals(frame).head.contains("> 0"), residuals(frame))
    val expected = found(theirs.where("i > 0 AND coalesce(a AND NULL, b)").select("id"))
    assert(found(frame) == expected && expected.nonEmpty)
  }

  test("conditions in aggregates, groups, orders and computed columns") {
    load(ours).createOrReplaceTempView("guarded_ours")
    theirs.createOrReplaceTempView("guarded_theirs")
    for (condition <- conditions; ansi <- Ring.inTurns(true, false)) withAnsi(ansi) {
      val queries = Seq(
        s"SELECT max($condition), min($condition) FROM t WHERE id > 3",
        s"SELECT count($condition), max(id) FROM t",
        s"SELECT $condition AS c, count(*), max(b) FROM t GROUP BY $condition",
        s"SELECT DISTINCT $condition AS c FROM t",
        s"SELECT max(c) FROM (SELECT $condition AS c FROM t)",
        s"SELECT $condition AS c FROM t ORDER BY $condition, id LIMIT 7",
        s"SELECT $condition AS c FROM t ORDER BY 1 DESC LIMIT 7"
      )
      Ring.half(queries).foreach { query =>
        def of(view: String) =
          sql(query.replace("FROM t", s"FROM $view")).collect().map(_.toString).sorted.toSeq
        assert(of("guarded_ours") == of("guarded_theirs"), s"$query, ANSI $ansi")
      }
    }
  }

  test("a condition on a computed column, above a join, and in a subquery") {
    load(ours).createOrReplaceTempView("guarded_ours")
    theirs.createOrReplaceTempView("guarded_theirs")
    val queries = Seq(
      "SELECT id FROM (SELECT id, coalesce(a AND NULL, b) c FROM t) WHERE c",
      "SELECT x.id FROM t x JOIN t y ON x.id = y.id WHERE coalesce(x.a AND NULL, x.b) AND NOT CAST(y.s AS BOOLEAN)",
      "SELECT id FROM t WHERE id IN (SELECT id FROM t WHERE (a OR NULL) <=> b)",
      "SELECT x.id FROM t x LEFT JOIN t y ON x.id = y.id AND coalesce(y.a OR NULL, y.b)"
    )
    queries.foreach { query =>
      def of(view: String) = found(sql(query.replace(" t", s" $view")))
      assert(of("guarded_ours") == of("guarded_theirs"), query)
    }
  }

  test("a count of distinct constants is not a count of rows") {
    load(ours).createOrReplaceTempView("guarded_ours")
    theirs.createOrReplaceTempView("guarded_theirs")
    val counts = Seq(
      "count(DISTINCT 1)",
      "count(DISTINCT least(1, 2)), count(*)",
      "count(DISTINCT 1, 'a'), max(id)",
      "count(DISTINCT CAST(NULL AS INT)), count(*)",
      "count(DISTINCT 1), count(DISTINCT id), count(1)",
      "count(DISTINCT x)",
      "count(DISTINCT x), min(id)",
      "count(DISTINCT struct(1, 2)), count(id)"
    )
    val rows = "SELECT 5 AS x, * FROM t"
    val sources = Seq(rows, s"$rows WHERE id > 3", s"$rows WHERE id > 99", s"$rows LIMIT 7") ++
      Seq("", " WHERE id > 3").map(where => s"$rows TABLESAMPLE (100 PERCENT)$where")
    for (count <- counts; source <- Ring.half(sources); ansi <- Ring.inTurns(true, false)) withAnsi(ansi) {
      def of(view: String) =
        sql(s"SELECT $count FROM (${source.replace("FROM t", s"FROM $view")})").collect().toSeq
      assert(of("guarded_ours") == of("guarded_theirs"), s"$count, $source, ANSI $ansi")
      ()
    }
  }
}
