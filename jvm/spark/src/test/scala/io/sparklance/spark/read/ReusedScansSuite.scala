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
