package io.sparklance.spark.read

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.execution.TakeOrderedAndProjectExec
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.{DataFrame, Row}

import io.sparklance.spark.Ring

/** Top-N pushdown: the orders that are pushed down, and that the first rows agree with Spark's. */
final class TopPushdownSuite extends ScanSuite {
  import TopPushdownSuite._

  private lazy val path: String = {
    val fresh = freshPath()
    val frame = spark.createDataFrame(FilterPushdownSuite.data.asJava, FilterPushdownSuite.schema)
      .selectExpr(
        "*",
        "if(id % 7 = 0, null, named_struct('n', if(id % 5 = 0, null, cast(id % 40 AS int)))) AS st"
      )
    frame.repartition(1).write.format("lance").option("maxRowsPerFile", 250).save(fresh)
    val gone = expr(s"id IN (${(3 to 999 by 11).mkString(", ")}) OR id BETWEEN 500 AND 600")
    load(fresh).limit(0).writeTo(s"lance.`$fresh`").overwrite(gone)
    assert(load(fresh).count() < 850)
    fresh
  }

  private def table(splitRows: Int = 400): DataFrame =
    spark.read.format("lance").option("batchSize", 64).option("splitRows", splitRows).load(path)

  private def plain: DataFrame = spark.read.format("lance").option("pushDownFilters", "false").load(path)

  private def top(frame: DataFrame): Option[String] =
    " top .*? NULLS \\w+".r.findFirstIn(scan(frame).scan.description).map(_.trim)

  test("what is pushed down, as EXPLAIN shows it") {
    table().createOrReplaceTempView("t")
    pushed.foreach { case (order, shown) =>
      val frame = sql(s"SELECT * FROM t ORDER BY $order LIMIT 3")
      assert(top(frame) == Some(s"top 3 by $shown"), order)
      assert(frame.queryExecution.executedPlan.toString.contains(s"top 3 by $shown"))
      assert(collect(frame.queryExecution.executedPlan) { case sort: TakeOrderedAndProjectExec =>
        sort
      }.size == 1)
    }
  }

  test("what is left to Spark alone") {
    table().createOrReplaceTempView("t")
    left.foreach(query => assert(top(sql(query)).isEmpty, query))
    assert(top(plain.orderBy("i").limit(3)).isEmpty)
    assert(top(table().select("id", "_rowaddr").orderBy("_rowaddr").limit(3)).isEmpty)
  }

  test("a limit and an offset count together, and a filter comes first") {
    table().createOrReplaceTempView("t")
    assert(top(sql("SELECT id FROM t ORDER BY i LIMIT 3 OFFSET 4")) == Some("top 7 by i ASC NULLS FIRST"))
    val filtered = sql("SELECT id FROM t WHERE d > 1 AND s LIKE 'a%' ORDER BY i DESC LIMIT 3")
    assert(top(filtered) == Some("top 3 by i DESC NULLS LAST") && residuals(filtered) == Nil)
    assert(scan(filtered).scan.description.contains("filters [") && scan(filtered).scan.readSchema.size == 2)
  }

  test("the first rows are those that Spark finds, in any order, of any splits") {
    val random = new Random()
    val limits = Seq(1, 5, 40, 300, 2000)
    def query(frame: DataFrame, seed: Long): DataFrame = {
      val r = new Random(seed)
      val first = generate(r)
      val others = Seq.fill(r.nextInt(2))(generate(r)) :+ "id"
      val filter = if (r.nextBoolean()) "true" else FilterPushdownSuite.generate(r, 1)
      frame.createOrReplaceTempView("t")
      val (limit, offset) = (limits(r.nextInt(limits.size)), r.nextInt(2) * r.nextInt(30))
      sql(
        s"SELECT * FROM t WHERE $filter ORDER BY ${(first +: others).mkString(", ")} LIMIT $limit OFFSET $offset"
      ).drop("x")
    }
    for (_ <- 0 until (if (Ring.isFull) 64 else 8)) {
      val seed = random.nextLong()
      val found = query(table(Seq(70, 400, 5000)(random.nextInt(3))), seed)
      // Spark drops the scan of a filter that no row can pass.
      assert(scanIn(found).isEmpty || top(found).isDefined, seed)
      assert(
        found.collect().toSeq.map(_.toString) == query(plain, seed).collect().toSeq.map(_.toString),
        seed
      )
    }
  }

  test("among rows with equal keys, any may be first") {
    for ((column, i) <- columns.zipWithIndex) {
      val (direction, nulls) = (Seq("ASC", "DESC")(i % 2), Seq("FIRST", "LAST")(i / 2 % 2))
      def keys(frame: DataFrame): Seq[String] = {
        frame.createOrReplaceTempView("t")
        val found =
          sql(s"SELECT id, $column FROM t ORDER BY $column $direction NULLS $nulls LIMIT 50").collect()
        assert(found.map(_.getLong(0)).distinct.length == 50)
        found.toSeq.map(row => show(row.get(1)))
      }
      assert(keys(table()) == keys(plain), s"$column $direction NULLS $nulls")
    }
  }

  test("a sample has its own first rows") {
    val sample = table().sample(0.3, seed = 4)
    val expected = sample.collect().map(_.getLong(0)).sorted.reverse.take(9)
    val first = sample.orderBy(expr("id").desc).limit(9)
    assert(top(first).isDefined && first.collect().map(_.getLong(0)).toSeq == expected.toSeq)
  }

  test("the UI shows how many rows were skipped, and how many of them by statistics") {
    val path = freshPath()
    spark.range(0, 40000, 1, 1).selectExpr("id", "hash(id) AS h").write.format("lance").save(path)
    def metrics(order: String): Map[String, Long] = {
      val frame = load(path).orderBy(expr(order).desc).limit(10)
      val rows = frame.collect()
      assert(rows.length == 10)
      scan(frame).metrics.map { case (k, v) => k -> v.value }
    }
    val sorted = metrics("id")
    assert(sorted("rowsSkipped") == 4 * 8192 && sorted("rowsFiltered") > 39000, sorted)
    val mixed = metrics("h")
    assert(mixed("rowsBelowTop") > 39000 && mixed("rowsFiltered") == mixed("rowsBelowTop"), mixed)
  }
}

private object TopPushdownSuite {
  val columns: Seq[String] = Seq("i", "t", "b", "f", "d", "m", "w", "s", "x", "day", "ts", "ntz", "st.n")

  /** The keys of an order, and what the scan takes of them. */
  val pushed: Seq[(String, String)] = Seq(
    "id" -> "id ASC NULLS FIRST",
    "i DESC" -> "i DESC NULLS LAST",
    "i NULLS LAST" -> "i ASC NULLS LAST",
    "i DESC NULLS FIRST" -> "i DESC NULLS FIRST",
    "i, s DESC, id" -> "i ASC NULLS FIRST",
    "d DESC, length(s)" -> "d DESC NULLS LAST",
    "st.n DESC" -> "st.n DESC NULLS LAST"
  ) ++ Seq("t", "b", "f", "d", "m", "w", "s", "x", "day", "ts", "ntz").map(c => c -> s"$c ASC NULLS FIRST")

  val left: Seq[String] = Seq(
    "SELECT * FROM t ORDER BY i + 1 LIMIT 3",
    "SELECT * FROM t ORDER BY length(s), i LIMIT 3",
    "SELECT * FROM t ORDER BY st LIMIT 3",
    // A filter that Spark evaluates may drop any of the first rows.
    "SELECT * FROM t WHERE length(s) = 2 ORDER BY i LIMIT 3",
    "SELECT * FROM t ORDER BY i",
    "SELECT * FROM (SELECT * FROM t LIMIT 100) ORDER BY i LIMIT 3",
    "SELECT i, count(*) FROM t GROUP BY i ORDER BY i LIMIT 3",
    s"SELECT * FROM t ORDER BY i LIMIT ${io.sparklance.dataset.order.TopRows.MaxLimit + 1}"
  )

  def generate(r: Random): String = {
    val column = columns(r.nextInt(columns.size))
    s"$column ${Seq("ASC", "DESC")(r.nextInt(2))} NULLS ${Seq("FIRST", "LAST")(r.nextInt(2))}"
  }

  /** Zeroes are alike. */
  def show(value: Any): String = value match {
    case bytes: Array[Byte] => new String(bytes)
    case number: Double => (number + 0.0).toString
    case number: Float => (number + 0f).toString
    case row: Row => row.toString
    case other => String.valueOf(other)
  }
}
