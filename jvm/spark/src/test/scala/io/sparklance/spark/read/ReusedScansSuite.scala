package io.sparklance.spark.read

import org.apache.spark.sql.DataFrame
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

  test("the scan of a correlated subquery is one of the outer query, as Spark infers no condition that it proves") {
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
