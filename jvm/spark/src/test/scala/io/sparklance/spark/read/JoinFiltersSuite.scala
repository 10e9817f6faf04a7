package io.sparklance.spark.read

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.scalatest.tags.Slow

/** Runtime filters of joins: those that can pay, in plans that do not grow with the filters of filters. */
@Slow
final class JoinFiltersSuite extends ScanSuite {

  /** Nodes of a plan, those of its subqueries included. */
  private def nodes(plan: SparkPlan): Int = collectWithSubqueries(plan) { case node => node }.size

  /** Columns and number of runtime filters of each scan. */
  private def filters(frame: DataFrame): Map[Set[String], Int] = collect(frame.queryExecution.executedPlan) {
    case scan: BatchScanExec => scan.output.map(_.name).toSet -> scan.runtimeFilters.size
  }.toMap

  private def views(format: String, path: String, names: Seq[String]): Unit =
    names.foreach(name => spark.read.format(format).load(path).createOrReplaceTempView(name))

  test("a plan grows with its joins as it does on Parquet") {
    val (ours, theirs) = (freshPath(), freshPath())
    val rows = spark.range(2000).selectExpr("id AS k", "id % 10 AS v")
    rows.write.format("lance").save(ours)
    rows.write.parquet(theirs)
    val names = (0 to 16).map(i => s"joined_$i")
    def planned(joins: Int): SparkPlan = {
      val all = (1 to joins).map(i => s"JOIN joined_$i ON joined_${i - 1}.k = joined_$i.k").mkString(" ")
      // Spark evaluates the condition above the scan.
      sql(s"SELECT count(*) FROM joined_0 $all WHERE pmod(joined_0.v, 7) = 1").queryExecution.executedPlan
    }
    val sizes = for (adaptive <- Seq(true, false); joins <- Seq(2, 4, 8, 16)) yield withSetting(
      "spark.sql.adaptive.enabled",
      adaptive.toString
    ) {
      def size(format: String, path: String): Int = {
        views(format, path, names)
        nodes(planned(joins))
      }
      val (own, parquet) = (size("lance", ours), size("parquet", theirs))
      (adaptive, joins, own, parquet)
    }
    sizes.foreach { case size @ (_, _, own, parquet) => assert(own <= 1.5 * parquet, s"$size of $sizes") }
  }

  test("the large side of a join is filtered by small ones, and small ones are not by the large one") {
    val (fact, days, items) = (freshPath(), freshPath(), freshPath())
    spark.range(20000).selectExpr("id AS sale", "id % 1000 AS day", "id % 400 AS item", "id * 3 AS price")
      .write.format("lance").save(fact)
    spark.range(1000).selectExpr("id AS day", "id DIV 30 AS month").write.format("lance").save(days)
    spark.range(400).selectExpr("id AS item", "id % 20 AS kind").write.format("lance").save(items)
    for ((name, path) <- Seq("sales" -> fact, "days" -> days, "items" -> items))
      views("lance", path, Seq(name))
    val star =
      "SELECT sum(price) FROM sales JOIN days ON sales.day = days.day JOIN items ON sales.item = items.item " +
        "WHERE pmod(month, 11) = 3 AND pmod(kind, 7) = 5"
    val frame = sql(star)
    val (large, small) = filters(frame).partition { case (columns, _) => columns("price") }
    assert(large.values.sum == 2 && small.values.sum == 0, frame.queryExecution.executedPlan)
    val expected = (0L until 20000L).filter(i => (i % 1000) / 30 % 11 == 3 && (i % 400) % 20 % 7 == 5).map(_ *
      3).sum
    assert(frame.head().getLong(0) == expected)
  }
}
