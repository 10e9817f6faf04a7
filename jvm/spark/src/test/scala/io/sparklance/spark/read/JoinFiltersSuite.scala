package io.sparklance.spark.read

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec
import org.scalatest.tags.Slow

import io.sparklance.spark.Ring

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
    val cases =
      for (adaptive <- Seq(true, false); joins <- if (Ring.isFull) Seq(2, 4, 8, 16) else Seq(4, 12))
        yield (adaptive, joins)
    def sizes(format: String, path: String): Seq[Int] = {
      views(format, path, names)
      cases.map { case (adaptive, joins) =>
        withSetting("spark.sql.adaptive.enabled", adaptive.toString)(nodes(planned(joins)))
      }
    }
    val (own, parquet) = (sizes("lance", ours), sizes("parquet", theirs))
    cases.indices.foreach(i => assert(own(i) <= 1.5 * parquet(i), s"${cases(i)} of $cases: $own, $parquet"))
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

  test("a filter that was dropped does not come back when Spark plans the rest of a running query again") {
    val (fact, items) = (freshPath(), freshPath())
    spark.range(20000).selectExpr("id AS sale", "id % 1000 AS day", "id % 400 AS item", "id * 3 AS price")
      .write.format("lance").save(fact)
    spark.range(400).selectExpr("id AS item", "id % 20 AS kind").write.format("lance").save(items)
    for ((name, path) <- Seq("sales" -> fact, "items" -> items)) views("lance", path, Seq(name))
    val sums = "(SELECT item, sum(price) AS total FROM sales WHERE pmod(day, 7) = 5 GROUP BY item)"
    for (condition <- Seq("true", "pmod(kind, 3) = 1")) {
      val query = s"SELECT kind, total FROM items JOIN $sums sums ON items.item = sums.item WHERE $condition"
      def rows: Seq[String] = sql(query).collect().map(_.toString).toSeq.sorted
      val adaptive = rows
      val plain = withSetting("spark.sql.adaptive.enabled", "false")(rows)
      assert(adaptive == plain && adaptive.nonEmpty, condition)
    }
  }

  test("a running query is planned again with the sizes of what it has read") {
    val (fact, items) = (freshPath(), freshPath())
    spark.range(50000).selectExpr(
      "id AS sale",
      "id % 400 AS item",
      "uuid() AS text"
    ).write.format("lance").save(fact)
    spark.range(400).selectExpr(
      "id AS item",
      "id % 20 AS kind",
      "uuid() AS text"
    ).write.format("lance").save(items)
    for ((name, path) <- Seq("sales" -> fact, "items" -> items)) views("lance", path, Seq(name))
    // Few sales pass, which only the running query knows.
    val frame = withSetting("spark.sql.autoBroadcastJoinThreshold", "4KB")(sql(
      "SELECT items.text, sales.text FROM items JOIN sales ON items.item = sales.item " +
        "WHERE pmod(sales.sale, 10000) = 7 AND pmod(kind, 3) = 1"
    ))
    withSetting("spark.sql.autoBroadcastJoinThreshold", "4KB")(frame.collect())
    val joins = collect(frame.queryExecution.executedPlan) { case join: BroadcastHashJoinExec => join }
    assert(joins.size == 1, frame.queryExecution.executedPlan)
  }
}
