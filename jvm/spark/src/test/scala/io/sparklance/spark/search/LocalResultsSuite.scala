package io.sparklance.spark.search

import java.io.ByteArrayOutputStream
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart}
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.Assertion

import io.sparklance.spark.SparkSuite

/** Queries whose few rows the driver reads: no job runs, and the rows are those of a job. */
class LocalResultsSuite extends SparkSuite {
  private val Limit = "spark.datasource.lance.localResultBytes"

  /** 3,000 rows in three fragments, of which indices cover two; with deleted rows and stable row ids. */
  private lazy val path: String = {
    val at = freshPath()
    def rows(from: Int, count: Int) = sql(
      s"""SELECT id, id % 7 AS kind, concat('n', id) AS name,
         |  IF(id % 50 = 7, NULL, named_struct('a', id, 'b', array(CAST(id AS STRING), 'x'))) AS s,
         |  map('k', id) AS m, concat_ws(' ', concat('w', id % 40), concat('w', id % 17), 'word') AS words,
         |  IF(id % 100 = 3, NULL, transform(sequence(0, 7), d -> CAST(sin(id * (d + 1)) AS FLOAT))) AS v
         |FROM range($from, ${from + count}, 1, 1)""".stripMargin
    ).write.format("lance").option("v.arrow.fixed-size-list.size", "8").option("enableStableRowIds", "true")
      .option("maxRowsPerFile", "1000").mode("append").save(at)
    rows(0, 2000)
    sql(s"CREATE INDEX near ON lance.`$at` USING ivf_flat (v) OPTIONS (num_partitions = 4)")
    sql(s"CREATE INDEX words ON lance.`$at` USING inverted (words)")
    sql(s"CREATE INDEX by_id ON lance.`$at` USING btree (id)")
    sql(s"DELETE FROM lance.`$at` WHERE id BETWEEN 20 AND 29")
    rows(2000, 1000)
    at
  }

  private val query = "array(0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F, 0.7F, 0.8F)"
  private def near(more: String = "") = s"lance_vector_search('$path', 'v', $query$more)"

  /** Counts the jobs that start. A last job tells that all of them have been reported. */
  private def jobs(body: => Any): Int = {
    val (seen, last) = (new ConcurrentLinkedQueue[String], "last job of LocalResultsSuite")
    val listener = new SparkListener {
      override def onJobStart(job: SparkListenerJobStart): Unit = {
        val _ = seen.add(s"${job.properties.getProperty("spark.job.description")}")
      }
    }
    val context = spark.sparkContext
    context.addSparkListener(listener)
    try {
      body
      context.setJobDescription(last)
      context.parallelize(Seq(1), 1).count()
      eventually(assert(seen.contains(last)))
      seen.asScala.count(_ != last)
    } finally {
      context.setJobDescription(null)
      context.removeSparkListener(listener)
    }
  }

  private def isLocal(frame: DataFrame): Boolean =
    frame.queryExecution.executedPlan.nodeName == "LocalBatchScan"

  private def byJob(text: String): Vector[Row] = withSetting(Limit, "0") {
    val frame = sql(text)
    assert(!isLocal(frame), text)
    frame.collect().toVector
  }

  /** Asserts that the driver answers, and that a second collection has the same rows. */
  private def assertLocal(text: String): Assertion = {
    val expected = byJob(text)
    assert(
      jobs {
        val frame = sql(text)
        assert(isLocal(frame), s"$text\n${frame.queryExecution.executedPlan}")
        assert(frame.collect().toVector == expected, text)
        assert(frame.collect().toVector == expected, text)
      } == 0,
      text
    )
  }

  test("vector searches: exact, by an index, with filters, orders, limits and offsets") {
    for (
      text <- Seq(
        s"SELECT * FROM ${near(", use_index => false")}",
        s"SELECT * FROM ${near()}",
        s"SELECT id, s.a + 1, s.b[0], m['k'], _distance * 2 AS d FROM ${near(", k => 20, nprobes => 4")}",
        s"SELECT name FROM ${near(", filter => 'id < 500'")} WHERE kind = 3",
        s"SELECT id, _distance FROM ${near(", k => 50")} ORDER BY id DESC LIMIT 7 OFFSET 2",
        s"SELECT id FROM ${near(", fast_search => true, k => 30")} ORDER BY kind, _distance",
        s"SELECT _rowid, _rowaddr, v FROM ${near(", k => 3")}",
        s"SELECT _distance FROM ${near(", k => 3")}",
        s"SELECT query_index, id FROM lance_vector_search('$path', 'v', array($query, $query), k => 4)"
      )
    ) assertLocal(text)
    assert(byJob(s"SELECT id FROM ${near()}").size == 10)
  }

  test("text searches and hybrid ones") {
    assertLocal(s"SELECT * FROM lance_fts('$path', 'words', 'w3 w5')")
    assertLocal(
      s"SELECT id, _score FROM lance_fts('$path', 'words', 'word', k => 20, offset => 5) WHERE kind > 2"
    )
    assertLocal(s"SELECT * FROM lance_fts('$path', 'words', 'nothing')")
    assertLocal(
      s"SELECT * FROM lance_hybrid_search('$path', vector => $query, text => 'w3', text_columns => 'words')"
    )
  }

  test("searches by options, actions and statements") {
    val json = """{"column": "v", "q": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], "k": 12}"""
    def read = spark.read.format("lance").option("nearest", json).load(path).select("id", "s", "_distance")
    val expected = withSetting(Limit, "0")(read.collect().toVector)
    assert(jobs {
      assert(read.collect().toVector == expected)
      assert(read.limit(5).collect().toVector == expected.take(5))
      assert(read.head(3).toVector == expected.take(3))
      assert(read.where("id % 2 = 0").collect().toVector == expected.filter(_.getLong(0) % 2 == 0))
      assert(read.toLocalIterator().asScala.toVector == expected)
      assert(sql(s"SELECT count(*), max(id), sum(id % 3) FROM ${near(", k => 40")}").head().getLong(0) == 40)
      Console.withOut(new ByteArrayOutputStream)(read.show())
    } == 0)
    assert(read.tail(2).toVector == expected.takeRight(2))
    assert(read.rdd.collect().toVector == expected)
    val cached = read.cache()
    try assert(cached.collect().toVector == expected && cached.count() == 12)
    finally { val _ = cached.unpersist() }
    withTable { table =>
      sql(s"CREATE TABLE $table USING lance AS SELECT id, _distance FROM ${near(", k => 5")}")
      assert(sql(s"SELECT * FROM $table").collect().toSet ==
        sql(s"SELECT id, _distance FROM ${near(", k => 5")}").collect().toSet)
    }
    val joined =
      s"SELECT t.id, n._distance FROM ${near()} n JOIN lance.`$path` t ON t.id = n.id ORDER BY 2, 1"
    assert(sql(joined).collect().map(_.getLong(0)).toSet == sql(s"SELECT id FROM ${near()}").collect()
      .map(_.getLong(0)).toSet)
    assert(sql(s"SELECT (SELECT max(id) FROM ${near()}) AS m").collect().length == 1)
  }

  test("orders by a distance") {
    withSetting("spark.datasource.lance.approximateOrder", "true") {
      val text = s"SELECT id, name FROM lance.`$path` ORDER BY l2(v, $query) LIMIT 5"
      assert(isLocal(sql(text)) && jobs(sql(text).collect()) == 0)
      assert(sql(text).collect().toVector == byJob(text))
    }
    // Rows without a vector come first, so all rows are read.
    val exact = s"SELECT id, name FROM lance.`$path` ORDER BY l2(v, $query) LIMIT 50"
    assert(jobs(assert(sql(exact).collect().toSet.size == 50)) > 0)
    val some = s"SELECT id FROM lance.`$path` WHERE v IS NOT NULL ORDER BY l2(v, $query) LIMIT 5"
    assert(sql(some).collect().toVector == byJob(some))
  }

  test("lookups by a key, by row ids and addresses, and aggregates that metadata answer") {
    assertLocal(s"SELECT * FROM lance.`$path` WHERE id = 1234")
    assertLocal(s"SELECT name, s FROM lance.`$path` WHERE id IN (1, 25, 999, 1500) AND kind < 6")
    assertLocal(s"SELECT id FROM lance.`$path` WHERE _rowid IN (3, 1900, 2500)")
    assertLocal(s"SELECT id, m FROM lance.`$path` WHERE _rowaddr IN (5, 4294967299)")
    assertLocal(s"SELECT id, name FROM lance.`$path` LIMIT 5")
    assertLocal(s"SELECT count(*) FROM lance.`$path`")
    assertLocal(s"SELECT count(*) AS n FROM lance.`$path` WHERE id = 25")
    assertLocal(s"SELECT min(name), count(s), avg(id) FROM lance.`$path` WHERE id IN (1, 2, 300)")
  }

  test("functions that the driver must not run, and queries with more rows, start jobs") {
    spark.udf.register("plus_one", (x: Long) => x + 1)
    for (
      text <- Seq(
        s"SELECT plus_one(id) FROM ${near()}",
        s"SELECT id, rand(1) FROM ${near()}",
        s"SELECT spark_partition_id() FROM ${near()}",
        s"SELECT id FROM ${near()} WHERE id > (SELECT min(id) FROM lance.`$path`)"
      )
    ) {
      assert(!isLocal(sql(text)), text)
      assert(jobs(sql(text).collect()) > 0, text)
    }
    withSetting(Limit, "200")(assert(!isLocal(sql(s"SELECT * FROM ${near(", k => 500")}"))))
  }

  test("rows that turn out to be too many are read by a job") {
    val at = freshPath()
    sql(
      """SELECT id, IF(id = 3, repeat('x', 100000), 'y') AS text, array(CAST(id AS FLOAT), 1F) AS v
        |FROM range(0, 4000, 1, 1)""".stripMargin
    ).write.format("lance").option("v.arrow.fixed-size-list.size", "2").save(at)
    withSetting(Limit, "20k") {
      for (order <- Seq("", " WHERE id < 4", " ORDER BY text LIMIT 2 OFFSET 1")) {
        val text = s"SELECT length(text), id FROM lance_vector_search('$at', 'v', array(3, 1), k => 3)$order"
        val frame = sql(text)
        assert(isLocal(frame) && jobs(frame.collect()) > 0)
        assert(frame.collect().toVector == byJob(text))
        assert(frame.take(1).toVector == byJob(text).take(1))
        assert(frame.rdd.collect().toVector == byJob(text))
      }
    }
  }

  test("blobs are read by a job, their descriptors are not") {
    val at = freshPath()
    sql(s"CREATE TABLE lance.`$at` (id BIGINT, b BINARY) TBLPROPERTIES ('b.lance-encoding:blob' = 'true')")
    sql(s"INSERT INTO lance.`$at` VALUES (1, X'0102'), (2, NULL)")
    def read(blobs: String) =
      spark.read.format("lance").option("blobHandling", blobs).load(at).where("_rowaddr = 0")
    assert(!isLocal(read("bytes")) && isLocal(read("bytes").select("id")) && isLocal(read("descriptors")))
    assert(read("bytes").select("b").head().getAs[Array[Byte]](0).toSeq == Seq[Byte](1, 2))
    assert(read("descriptors").select("b.size").head().getLong(0) == 2)
  }

  test("EXPLAIN does not search, and plans that are equal are known as such") {
    val at = freshPath()
    sql("SELECT id, array(CAST(id AS FLOAT), 1F) AS v FROM range(10)").write.format("lance")
      .option("v.arrow.fixed-size-list.size", "2").save(at)
    val text = s"SELECT id FROM lance_vector_search('$at', 'v', array(3, 1), k => 3) WHERE id > 2"
    def plan = sql(text).queryExecution.executedPlan
    assert(plan.sameResult(plan))
    assert(!plan.sameResult(sql(text.replace("> 2", "> 3")).queryExecution.executedPlan))
    dataFiles(at).foreach(file => assert(new java.io.File(file).delete()))
    for (mode <- Seq("", "FORMATTED", "COST", "EXTENDED", "CODEGEN")) {
      val shown = sql(s"EXPLAIN $mode $text").head().getString(0)
      assert(shown.contains("LocalBatchScan") || mode == "CODEGEN", shown)
    }
    assert(sql(s"EXPLAIN $text").head().getString(0).contains("nearest 3 by l2 of v"))
    assert(refusal(sql(text).collect()).contains("is missing"))
  }

  test("metrics of the rows and of the search are shown") {
    val frame = sql(s"SELECT id FROM ${near(", k => 6, use_index => false")}")
    frame.collect()
    val metrics = frame.queryExecution.executedPlan.metrics.map { case (name, m) => name -> m.value }
    assert(metrics("numOutputRows") == 6 && metrics("vectorsCompared") > 2900)
    val key = sql(s"SELECT name FROM lance.`$path` WHERE id = 77")
    key.collect()
    val read = key.queryExecution.executedPlan.metrics.map { case (name, m) => name -> m.value }
    assert(read("numOutputRows") == 1 && read("rowsFoundByIndices") == 1 && read("bytesRead") >= 0)
  }

  test("an older version, and a table that changes after a search was planned") {
    val at = freshPath()
    def write(from: Int) =
      sql(s"SELECT id, array(CAST(id AS FLOAT), 1F) AS v FROM range($from, ${from + 10})")
        .write.format("lance").option("v.arrow.fixed-size-list.size", "2").mode("append").save(at)
    write(0)
    def found(more: String = "") =
      sql(s"SELECT id FROM lance_vector_search('$at', 'v', array(11, 1), k => 2$more)")
    val before = found()
    assert(before.collect().toVector == Vector(Row(9L), Row(8L)))
    write(10)
    assert(before.collect().toVector == Vector(Row(9L), Row(8L)))
    assert(found().collect().map(_.getLong(0)).toSet == Set(11L, 10L))
    assert(found(", version => 1").collect().toVector == Vector(Row(9L), Row(8L)))
  }
}
