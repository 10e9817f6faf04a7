package io.sparklance.spark.read

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.{Exchange, ReusedExchangeExec}
import org.apache.spark.sql.execution.{ColumnarToRowExec, FormattedMode, QueryExecution, SparkPlan}
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.util.QueryExecutionListener
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.tags.Slow

import io.sparklance.spark.Ring

/** Queries in which our operator takes the place of Spark's, or leaves it, with equal answers. */
@Slow
final class ColumnarToRowsSuite extends ScanSuite {
  import ColumnarToRowsSuite._

  private def write(frame: DataFrame, options: (String, String)*): String = {
    val at = freshPath()
    frame.write.format("lance").options(options.toMap).save(at)
    at
  }

  private lazy val flat: DataFrame =
    spark.createDataFrame(FilterPushdownSuite.data.asJava, FilterPushdownSuite.schema)

  /** Some columns of 16 rows are null, some rows are deleted, and the last column is null in all. */
  private lazy val path: String = {
    val at = write(flat.repartition(1), "maxRowsPerFile" -> "300")
    sql(s"DELETE FROM lance.`$at` WHERE id % 11 = 3 OR id BETWEEN 500 AND 650")
    sql(s"ALTER TABLE lance.`$at` ADD COLUMN later string")
    at
  }

  private def table: DataFrame = spark.read.format("lance").option("batchSize", 100).load(path)

  private lazy val copy: DataFrame = withSetting("spark.sql.codegen.wholeStage", "true") {
    val at = freshPath()
    // A filter over the scan makes rows of single values, as Spark's own operator does.
    val rows = table.where("monotonically_increasing_id() >= 0")
    assert(theirs(rows) == 1 && ours(rows) == 0)
    rows.write.parquet(at)
    spark.read.parquet(at)
  }

  private lazy val wide: String = write(spark.range(200).selectExpr(
    "id" +: (1 to 120).map(i =>
      if (i % 3 == 0) s"if(id % $i = 0, null, 's' || id) AS c$i" else s"id + $i AS c$i"
    ): _*
  ))

  private def count(plan: SparkPlan)(of: PartialFunction[SparkPlan, Unit]): Int =
    collectWithSubqueries(plan)(of).size

  private def ours(plan: SparkPlan): Int = count(plan) { case p if p.nodeName == "LanceColumnarToRow" => () }
  private def theirs(plan: SparkPlan): Int = count(plan) { case _: ColumnarToRowExec => () }
  private def ours(frame: DataFrame): Int = ours(frame.queryExecution.executedPlan)
  private def theirs(frame: DataFrame): Int = theirs(frame.queryExecution.executedPlan)

  /** Numbers of our and of Spark's operators in the plan that is executed in the end. */
  private def operators(frame: DataFrame): (Int, Int) = {
    val _ = frame.collect()
    (ours(frame), theirs(frame))
  }

  private def texts(frame: DataFrame): Vector[String] = frame.collect().toVector.map(show)

  private def sorted(frame: DataFrame): Vector[String] = texts(frame).sorted

  private def withAdaptive(body: => Any): Unit = for (on <- Ring.inTurns("true", "false"))
    withSetting("spark.sql.adaptive.enabled", on) { val _ = body }

  /** Runs a command and returns the numbers of our and of Spark's operators in the plans of its queries. */
  private def operatorsOf(command: => Any): (Int, Int) = {
    val seen = new ConcurrentLinkedQueue[SparkPlan]
    val listener = new QueryExecutionListener {
      def onSuccess(name: String, query: QueryExecution, nanos: Long): Unit = {
        val _ = seen.add(query.executedPlan)
      }
      def onFailure(name: String, query: QueryExecution, error: Exception): Unit = ()
    }
    def count(of: SparkPlan => Int): Int = seen.asScala.map(of).sum
    spark.listenerManager.register(listener)
    try {
      val _ = command
      eventually(assert(count(ours) + count(theirs) > 0))
    } finally spark.listenerManager.unregister(listener)
    (count(ours), count(theirs))
  }

  test("rows that go to the driver are written by us, and equal those of the table's copy") {
    withAdaptive {
      assert(operators(table) == (1, 0))
      assert(operators(table.select("id", "s")) == (1, 0))
      assert(sorted(table) == sorted(copy) && texts(table).size == 1000 - 91 - 151 + 13)
    }
  }

  test("rows that are shuffled or sorted are written by us") {
    withAdaptive {
      assert(operators(table.repartition(3)) == (1, 0))
      assert(sorted(table.repartition(3)) == sorted(copy))
      assert(operators(table.repartition(col("id"))) == (1, 0))
      assert(operators(table.repartitionByRange(2, col("id"))) == (1, 0))
      assert(operators(table.orderBy("s", "id")) == (1, 0))
      assert(texts(table.orderBy("s", "id")) == texts(copy.orderBy("s", "id")))
      assert(operators(table.coalesce(1)) == (1, 0))
      assert(operators(table.sortWithinPartitions("id")) == (1, 0))
    }
  }

  test("rows that are written are written by us") {
    withAdaptive {
      for (format <- Seq("noop", "lance", "parquet")) {
        val to = freshPath()
        val found = operatorsOf(table.drop("later").write.format(format).mode("append").save(to))
        assert(found == (1, 0), format)
        if (format != "noop")
          assert(sorted(spark.read.format(format).load(to)) == sorted(copy.drop("later")), format)
      }
    }
  }

  test("rows that are cached are written by us") {
    withAdaptive {
      val cached = table.cache()
      try {
        assert(sorted(cached) == sorted(copy))
        assert(cached.where("i = 3").count() == copy.where("i = 3").count())
        val stored = collect(cached.queryExecution.executedPlan) {
          case scan: InMemoryTableScanExec => scan.relation.cachedPlan
        }
        assert(stored.map(ours(_)) == Seq(1) && stored.map(theirs(_)) == Seq(0))
      } finally { val _ = cached.unpersist(true) }
    }
  }

  test("sides of joins are written by us if their rows are not tested before") {
    val other = write(spark.range(60).selectExpr("id AS key", "id % 5 AS kind"))
    for (hint <- Seq("broadcast", "merge", "shuffle_hash", "shuffle_replicate_nl")) withAdaptive {
      val keyed = spark.read.format("lance").load(other)
      def join(left: DataFrame): DataFrame = left.join(keyed.hint(hint), left("i") === keyed("key"), "left")
      val (found, _) = operators(join(table))
      assert(found >= 1, hint)
      assert(sorted(join(table)) == sorted(join(copy)), hint)
    }
  }

  test("a scan below a filter, a projection or an aggregate stays with Spark") {
    withAdaptive {
      assert(operators(table.where("monotonically_increasing_id() >= 0")) == (0, 1))
      assert(operators(table.where("length(s) = 2")) == (0, 1))
      assert(operators(table.selectExpr("id + 1")) == (0, 1))
      assert(operators(table.where("monotonically_increasing_id() >= 0").selectExpr("sum(id)")) == (0, 1))
      assert(operators(table.groupBy("s").count())._1 == 0)
      assert(operators(table.selectExpr("explode(array(id, i))"))._1 == 0)
    }
  }

  test("more than a hundred columns are written by us below a filter too") {
    val all = load(wide)
    withAdaptive {
      assert(operators(all) == (1, 0))
      assert(operators(all.where("monotonically_increasing_id() >= 0")) == (1, 0))
      assert(operators(all.where("monotonically_increasing_id() >= 0").selectExpr("max(struct(*))")) ==
        (1, 0))
      assert(
        operators(all.drop((1 to 40).map(i => s"c$i"): _*).where("monotonically_increasing_id() >= 0")) ==
          (0, 1)
      )
      val few = all.where("monotonically_increasing_id() >= 0").selectExpr("id", "c3", "c120")
      val expected = Vector.tabulate(200)(i =>
        s"$i|${if (i % 3 == 0) "null" else s"s$i"}|" +
          (if (i % 120 == 0) "null" else s"s$i")
      )
      assert(sorted(few) == expected.sorted)
      assert(sorted(all.where("monotonically_increasing_id() >= 0 AND c1 % 2 = 0").select("id")) ==
        (1 until 200 by 2).map(_.toString).sorted)
      assert(sorted(all.where("monotonically_increasing_id() >= 0")) == sorted(all) &&
        sorted(all).size == 200)
    }
  }

  test("without code generation, rows are written by us everywhere, with equal answers") {
    val queries = Seq[DataFrame => DataFrame](
      identity,
      _.where("monotonically_increasing_id() >= 0"),
      _.where("length(s) = 2").selectExpr("id + 1", "s || 'x'"),
      _.where("monotonically_increasing_id() >= 0").groupBy("s").count(),
      _.where("monotonically_increasing_id() >= 0").selectExpr("sum(id)", "max(s)", "min(w)"),
      _.orderBy("w", "id").limit(20),
      _.selectExpr("id", "explode(array(i, t, id))"),
      _.selectExpr("id", "lag(s) OVER (PARTITION BY i ORDER BY id)", "sum(m) OVER (ORDER BY id)"),
      t => t.selectExpr("id", "i").join(t.selectExpr("i", "s").hint("merge"), "i"),
      t => t.selectExpr("id", "i").join(t.selectExpr("i", "s").hint("shuffle_hash"), "i"),
      t => t.selectExpr("id", "s").unionAll(t.selectExpr("id + 1", "cast(x AS string)")).distinct(),
      t => t.selectExpr("id", "s").exceptAll(t.where("i = 3").selectExpr("id", "s"))
    )
    for ((query, i) <- queries.zipWithIndex; codegen <- "false" +: Ring.half(Seq("true")))
      withSetting("spark.sql.codegen.wholeStage", codegen) {
        withAdaptive {
          val found = query(table)
          if (codegen == "false") {
            val (own, others) = operators(found)
            assert(own > 0 && others == 0, s"query $i")
          }
          assert(sorted(found) == sorted(query(copy)), s"query $i, code generation $codegen")
        }
      }
  }

  test("columns of other kinds stay with Spark, alone and beside others") {
    val at = write(spark.range(3).selectExpr(
      "id",
      "struct(id AS n) AS st",
      "array(id) AS l",
      "map('a', id) AS m",
      "timestamp_seconds(id) AS ts"
    ))
    for (column <- Seq("st", "l", "m")) {
      assert(operators(load(at).select(column)) == (0, 1), column)
      assert(operators(load(at).select("id", column)) == (0, 1), column)
    }
    assert(operators(load(at).select("id", "ts")) == (1, 0))
  }

  test("other formats stay with Spark") {
    withAdaptive {
      assert(operators(copy) == (0, 1))
      assert(operators(copy.select("id").repartition(2)) == (0, 1))
    }
    val both = table.select("id").unionAll(copy.select("id"))
    // Spark takes the batches of a union together.
    assert(operators(both) == (0, 1) && both.collect().length == 2 * copy.count())
  }

  test("the rows of a union of scans are written by us") {
    withAdaptive {
      val more = spark.read.format("lance").load(path).where("id < 100")
      val both = table.unionAll(more)
      assert(operators(both) == (1, 0))
      assert(sorted(both) == sorted(copy.unionAll(copy.where("id < 100"))))
      assert(operators(both.repartition(2)) == (1, 0))
    }
  }

  test("a scan with blobs stays with Spark") {
    val at = freshPath()
    sql(s"CREATE TABLE lance.`$at` (id BIGINT, b BINARY) TBLPROPERTIES ('b.lance-encoding:blob' = 'true')")
    sql(s"INSERT INTO lance.`$at` VALUES (1, X'0102'), (2, NULL)")
    val blobs = spark.read.format("lance").option("blobHandling", "bytes").load(at)
    assert(operators(blobs.repartition(2)) == (0, 1))
    assert(blobs.where("id = 1").select("b").head().getAs[Array[Byte]](0).toSeq == Seq[Byte](1, 2))
  }

  test("a count reads no rows, and a table without columns has rows") {
    assert(table.count() == copy.count())
    assert(table.select().collect().length == copy.count())
    assert(ours(table.select()) == 1)
  }

  test("a limit takes the first rows") {
    withAdaptive {
      for (n <- Seq(1, 63, 64, 65, 300, 5000)) {
        val some = table.limit(n)
        assert(operators(some) == (1, 0), n)
        assert(some.collect().toSet.size == math.min(n.toLong, copy.count()), n)
        assert(texts(some).toSet.subsetOf(texts(copy).toSet))
        assert(texts(table.offset(n)).size == math.max(0L, copy.count() - n), n)
      }
      assert(table.tail(3).map(_.getLong(0)).toSeq == copy.orderBy("id").tail(3).map(_.getLong(0)).toSeq)
      assert(table.take(70).length == 70 && table.head().getLong(0) == 0)
      assert(table.toLocalIterator().asScala.size == copy.count())
    }
  }

  test("CHAR columns are padded, below which rows stay with Spark, and VARCHAR columns are not") {
    withTable { t =>
      sql(s"CREATE TABLE $t (c CHAR(5), v VARCHAR(5), n INT) USING lance")
      sql(s"INSERT INTO $t VALUES ('a', 'a', 1), ('abcde', 'abcde', 2), (NULL, NULL, 3), ('', '', 4)")
      val expected = Vector("a    |a|1", "abcde|abcde|2", "null|null|3", "     ||4")
      withAdaptive {
        assert(sorted(sql(s"SELECT * FROM $t")) == expected.sorted)
        assert(sorted(sql(s"SELECT * FROM $t").repartition(2)) == expected.sorted)
        assert(operators(sql(s"SELECT v, n FROM $t")) == (1, 0))
        assert(sql(s"SELECT n FROM $t WHERE c = 'a'").collect().map(_.getInt(0)).toSeq == Seq(1))
      }
    }
  }

  test("metadata columns are written by us") {
    val all = table.select("id", "s", "_rowaddr", "_rowid", "_fragid")
    withAdaptive {
      assert(operators(all) == (1, 0))
      val places = all.collect().map(row => (row.getLong(3), row.getLong(0), row.getLong(2), row.getLong(4)))
      assert(places.length == copy.count() && places.map(_._1).distinct.length == places.length)
      places.foreach { case (_, id, address, fragment) =>
        assert(address == (fragment << 32 | id % 300) && fragment == id / 300)
      }
      val ordered = table.select("id", "_rowaddr").orderBy("_rowaddr")
      assert(operators(ordered) == (1, 0))
      assert(ordered.collect().map(_.getLong(0)).toSeq ==
        copy.orderBy("id").collect().map(_.getLong(0)).toSeq)
    }
  }

  test("pushed filters leave rows to us") {
    withAdaptive {
      for (filter <- Seq("i = 3", "id > 900", "s LIKE 'a%'", "i IS NULL", "id < 0")) {
        val some = table.where(filter)
        assert(operators(some) == (1, 0), filter)
        assert(sorted(some) == sorted(copy.where(filter)), filter)
      }
    }
  }

  test("runtime filters leave rows to us") {
    val small = freshPath()
    spark.range(40).selectExpr("cast(id AS int) AS place", "id % 20 AS kind").write.parquet(small)
    withAdaptive {
      def few = spark.read.parquet(small).where("kind = 7").hint("broadcast")
      val asked = table.join(few.withColumnRenamed("place", "i"), "i")
      val expected = copy.join(few.withColumnRenamed("place", "i"), "i")
      assert(sorted(asked) == sorted(expected) && sorted(asked).nonEmpty)
      val filtered = collectWithSubqueries(asked.queryExecution.executedPlan) {
        case scan: BatchScanExec if scan.runtimeFilters.nonEmpty => scan
      }
      assert(filtered.size == 1)
    }
  }

  test("exchanges and subqueries of equal scans are reused") {
    withAdaptive {
      val half = table.select("id", "s").repartition(2, col("id"))
      val twice = half.unionAll(half)
      assert(twice.collect().length == 2 * copy.count())
      val plan = twice.queryExecution.executedPlan
      assert(count(plan) { case _: ReusedExchangeExec => () } == 1, plan)
      assert(ours(plan) == 1 && count(plan) { case _: Exchange => () } == 1, plan)
    }
    table.createOrReplaceTempView("rows_of_scan")
    withAdaptive {
      val asked =
        sql(
          "SELECT id, (SELECT max(id) FROM rows_of_scan WHERE monotonically_increasing_id() >= 0) AS m, s FROM rows_of_scan"
        )
      assert(asked.collect().map(_.getLong(1)).toSet == Set(copy.selectExpr("max(id)").head().getLong(0)))
      val in = sql("SELECT * FROM rows_of_scan WHERE i IN (SELECT t FROM rows_of_scan)")
      copy.createOrReplaceTempView("rows_of_copy")
      assert(sorted(in) == sorted(sql("SELECT * FROM rows_of_copy WHERE i IN (SELECT t FROM rows_of_copy)")))
    }
  }

  test("EXPLAIN names the operator, which counts rows and batches") {
    withAdaptive {
      val all = table
      assert(all.queryExecution.executedPlan.toString.contains("LanceColumnarToRow"))
      assert(all.queryExecution.explainString(FormattedMode).contains("LanceColumnarToRow"))
      val n = all.collect().length
      val metrics = collect(all.queryExecution.executedPlan) {
        case p if p.nodeName == "LanceColumnarToRow" => p.metrics
      }.head
      assert(metrics("numOutputRows").value == n)
      assert(metrics("numInputBatches").value >= 8)
      assert(metrics.view.mapValues(_.name.get).toMap == Map(
        "numOutputRows" -> "number of output rows",
        "numInputBatches" -> "number of input batches"
      ))
      val limited = table.limit(1)
      assert(limited.collect().length == 1)
      val read = collect(limited.queryExecution.executedPlan) {
        case p if p.nodeName == "LanceColumnarToRow" => p.metrics("numOutputRows").value
      }.head
      assert(read <= 100)
    }
  }

  test("rows reach RDDs, typed functions and samples") {
    val ids = copy.orderBy("id").collect().map(_.getLong(0)).toSet
    withAdaptive {
      assert(table.rdd.map(_.getLong(0)).collect().toSet == ids)
      val kept = table.queryExecution.toRdd.map(_.copy()).map(row => row.getLong(0)).collect()
      assert(kept.toSet == ids && kept.length == ids.size)
      val session = spark
      import session.implicits._
      assert(table.select("id").as[Long].map(_ + 1).collect().toSet == ids.map(_ + 1))
      assert(table.sample(true, 0.5, 3).collect().map(_.getLong(0)).toSet.subsetOf(ids))
      assert(sorted(table.sample(false, 1.0)) == sorted(copy))
    }
  }

  test("a changed row of a row-level operation keeps its other values") {
    val at = write(flat.repartition(1), "maxRowsPerFile" -> "300")
    sql(s"UPDATE lance.`$at` SET s = 'new' WHERE id % 3 = 0")
    val expected = flat.selectExpr(flat.columns.toSeq.map(c =>
      if (c == "s") "if(id % 3 = 0, 'new', s) AS s" else c
    ): _*)
    assert(sorted(load(at)) == sorted(expected))
    flat.where("id % 2 = 0").createOrReplaceTempView("some_rows")
    sql(
      s"MERGE INTO lance.`$at` t USING some_rows s ON t.id = s.id " +
        "WHEN MATCHED AND s.id % 4 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET *"
    )
    val merged = expected.where("id % 2 = 1").unionAll(flat.where("id % 4 = 2"))
    assert(sorted(load(at)) == sorted(merged))
  }
}

private object ColumnarToRowsSuite {
  def show(row: Row): String = row.toSeq.map {
    case bytes: Array[Byte] => bytes.mkString("[", " ", "]")
    case other => String.valueOf(other)
  }.mkString("|")
}
