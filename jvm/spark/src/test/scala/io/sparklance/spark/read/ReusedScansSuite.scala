package io.sparklance.spark.read

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec
import org.scalatest.tags.Slow

/** Spark reads a part of a query once that occurs in it more than once. */
@Slow
class ReusedScansSuite extends ScanSuite {
  private lazy val path: String = {
    val at = freshPath()
    sql("SELECT id, id % 7 AS kind FROM range(100)").write.format("lance").save(at)
    at
  }

  private def rows: DataFrame = spark.read.format("lance").load(path)

  private def reused(frame: DataFrame): Int = {
    frame.collect()
    collectWithSubqueries(frame.queryExecution.executedPlan) { case reused: ReusedExchangeExec =>
      reused
    }.size
  }

  private def both(one: DataFrame, other: DataFrame): DataFrame =
    one.groupBy("kind").count().unionAll(other.groupBy("kind").count())

  test("exchanges of equal scans are reused, with filters or without") {
    assert(reused(both(rows, rows)) == 1)
    assert(reused(both(rows.where("id > 20"), rows.where("id > 20"))) == 1)
  }

  test(
    "the scan of a correlated subquery is one of the outer query, as Spark infers no condition that it proves"
  ) {
    def counted(format: String): Int = {
      val (sales, days) = (freshPath(), freshPath())
      sql("SELECT id % 300 day, id % 7 store, id % 90 customer, id % 50 amount FROM range(2000)")
        .write.format(format).save(sales)
      sql("SELECT id day, 2000 + id % 3 year FROM range(300)").write.format(format).save(days)
      spark.read.format(format).load(sales).createOrReplaceTempView("sales")
      spark.read.format(format).load(days).createOrReplaceTempView("days")
      reused(sql("""WITH total AS (SELECT customer, store, sum(amount) amount FROM sales, days
        WHERE sales.day = days.day AND year = 2000 GROUP BY customer, store)
        SELECT customer FROM total a
        WHERE amount > (SELECT avg(amount) * 1.2 FROM total b WHERE a.store = b.store)"""))
    }
    assert(counted("lance") == counted("parquet"))
  }

  test("scalar subqueries that aggregate the same rows read them once, as of Spark's own sources") {
    val query =
      """SELECT
        (SELECT count(*) FROM numbers WHERE id BETWEEN 1 AND 20) a, (SELECT avg(kind) FROM numbers WHERE id BETWEEN 1 AND 20) b,
        (SELECT max(id) + sum(cents) FROM numbers WHERE id BETWEEN 1 AND 20) c, (SELECT avg(cents) FROM numbers WHERE id > 70) d,
        (SELECT count(*) FROM numbers WHERE id > 70) e, (SELECT count(*) FROM numbers WHERE id > 90) f"""
    def planned(format: String): (Seq[Any], Int) = {
      val at = freshPath()
      sql(
        "SELECT id, id % 7 kind, CAST(id AS DECIMAL(7, 2)) cents FROM range(100)"
      ).write.format(format).save(at)
      spark.read.format(format).load(at).createOrReplaceTempView("numbers")
      // Adaptive plans show only after they ran what is reused, and equal scans that both run look like one.
      withSetting("spark.sql.adaptive.enabled", "false") {
        val frame = sql(query)
        val scans = frame.queryExecution.executedPlan.collectWithSubqueries { case scan: BatchScanExec =>
          scan
        }
        (frame.head().toSeq, scans.size)
      }
    }
    val ((ours, scans), (theirs, _)) = (planned("lance"), planned("parquet"))
    assert(ours == theirs)
    assert(scans == 3)
  }

  test("scalar subqueries of metadata columns and of fields of a struct return what they return alone") {
    val at = freshPath()
    sql(
      "SELECT id * 7 AS n, named_struct('x', id, 'y', 2 * id) AS s FROM range(100)"
    ).write.format("lance").save(at)
    val parts = Seq("_rowaddr + n - n", "n", "s.y", "_rowid").map(value =>
      s"(SELECT avg($value) FROM lance.`$at` WHERE n < 70)"
    )
    val both = sql(s"SELECT ${parts.mkString(", ")}, (SELECT count(*) FROM lance.`$at` WHERE n < 70)").head()
    assert(both.toSeq == Seq(4.5, 31.5, 9.0, 4.5, 10L))
  }

  test("scans that differ are read each: by filters, options, or the table's version") {
    assert(reused(both(rows.where("id > 20"), rows.where("id > 21"))) == 0)
    assert(reused(both(rows, spark.read.format("lance").option("useScalarIndex", "false").load(path))) == 0)
    val before = rows
    sql(s"DELETE FROM lance.`$path` WHERE id = 3")
    val counts = both(before, rows)
    assert(reused(counts) == 0)
    assert(counts.selectExpr("sum(count)").head().getLong(0) == 199)
  }
}
