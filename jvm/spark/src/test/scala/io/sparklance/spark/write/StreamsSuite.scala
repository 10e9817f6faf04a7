package io.sparklance.spark.write

import org.apache.spark.sql.Row
import org.apache.spark.sql.streaming.Trigger

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite

/** Streaming queries that write to a table. */
final class StreamsSuite extends SparkSuite with FileStreams {
  private def append(source: Source, path: String): Unit =
    writing(source, source.rows).format("lance").start(path).awaitTermination()

  private def ids(path: String): Seq[Long] = load(path).collect().map(_.getLong(0)).toSeq.sorted

  private def table(): String = {
    val path = freshPath()
    sql("SELECT 100L AS id").write.format("lance").save(path)
    path
  }

  test("each epoch is a version, and one that is run again is in the table once") {
    val (source, path) = (new Source, table())
    source.add("1.json", 0 until 3)
    source.add("2.json", 3 until 5)
    append(source, path)
    assert(ids(path) == (0L until 5L) :+ 100L && Dataset.open(LocalStore, path).version == 3)
    source.forgetLastCommit()
    val files = dataFiles(path).toSet
    append(source, path)
    assert(ids(path) == (0L until 5L) :+ 100L && dataFiles(path).toSet == files)
    source.add("3.json", 5 until 7)
    sql("SELECT 101L AS id").write.format("lance").mode("append").save(path)
    append(source, path)
    assert(ids(path) == (0L until 7L) ++ Seq(100L, 101L))
  }

  test("an epoch whose version was cleaned up is not written again") {
    val (first, second, path) = (new Source, new Source, table())
    Seq(first, second).foreach { source =>
      source.add("1.json", 0 until 3)
      append(source, path)
    }
    sql(s"INSERT INTO lance.`$path` VALUES (101)")
    sql(s"CALL lance.system.cleanup(table => '$path', retain_versions => 1)")
    assert(Dataset.open(LocalStore, path).versions.size == 1)
    first.forgetLastCommit()
    append(first, path)
    assert(ids(path) == (Seq(0L, 1L, 2L) ++ Seq(0L, 1L, 2L) :+ 100L :+ 101L).sorted)
    first.add("2.json", 3 until 4)
    append(first, path)
    assert(ids(path).count(_ == 3L) == 1)
  }

  test("a stream writes to a table with a name; in mode complete each epoch replaces all rows") {
    withTable { t =>
      val source = new Source
      source.add("1.json", 0 until 3)
      sql(s"CREATE TABLE $t (n BIGINT NOT NULL) USING lance")
      val counts = source.rows.groupBy().count().withColumnRenamed("count", "n")
      // Since 4.3 whatever a query with aggregates gives may be null otherwise, for all that Spark says.
      def run(): Unit =
        withSetting("spark.sql.streaming.statefulOperator.alwaysNullableOutput.enabled", "false") {
          writing(source, counts).outputMode("complete").toTable(t).awaitTermination()
        }
      run()
      assert(rows(sql(s"SELECT * FROM $t")) == Set(Row(3)))
      source.add("2.json", 3 until 5)
      run()
      assert(rows(sql(s"SELECT * FROM $t")) == Set(Row(5)))
    }
  }

  test("rows that do not fit the table are refused before any is written") {
    val (source, path) = (new Source, table())
    source.add("1.json", 0 until 3)
    def message(columns: String*): String =
      refusal(writing(
        source,
        source.rows.selectExpr(columns: _*)
      ).format("lance").start(path).awaitTermination())
    assert(message("CAST(id AS INT) AS id").contains("have 'id' as int"))
    assert(message("id", "1 AS more").contains("a column 'more', which the table lacks"))
    assert(message("id AS other").contains("a column 'other', which the table lacks"))
    withTable { t =>
      sql(s"CREATE TABLE $t (id BIGINT NOT NULL) USING lance")
      val nulls = refusal(writing(source, source.rows).toTable(t).awaitTermination())
      assert(nulls.contains("may have nulls in 'id'"))
    }
    assert(ids(path) == Seq(100L))
    append(source, path)
    assert(ids(path) == Seq(0L, 1L, 2L, 100L))
  }

  test("a checkpoint that lost its epochs is refused, not taken for one that is ahead") {
    val (source, path) = (new Source, table())
    source.add("1.json", 0 until 3)
    source.add("2.json", 3 until 5)
    append(source, path)
    source.forgetEpochs()
    val message = refusal(append(source, path))
    assert(message.contains("is at epoch 0, but the table at") && message.contains("has its epochs up to 1"))
    assert(ids(path) == (0L until 5L) :+ 100L)
  }

  test("a query with a name is refused without its checkpoint, until the table forgets it") {
    val (source, path) = (new Source, table())
    source.add("1.json", 0 until 3)
    def run(checkpoint: String): Unit = source.rows.writeStream.format("lance").queryName("copy of today")
      .trigger(Trigger.AvailableNow()).option("checkpointLocation", checkpoint).start(path).awaitTermination()
    run(source.checkpoint)
    run(source.checkpoint)
    val message = refusal(run(freshPath()))
    assert(message.contains("epochs up to 0 of the streaming query 'copy of today'"))
    assert(ids(path) == (0L until 3L) :+ 100L)
    val cure = "CALL .*\\)".r.findFirstIn(message).get.replace("<table>", path)
    sql(cure)
    run(freshPath())
    assert(ids(path).count(_ == 0) == 2)
  }

  test("a stream to a path without a table is an error that says so") {
    val source = new Source
    source.add("1.json", 0 until 3)
    assert(refusal(append(source, freshPath())).contains("no Lance table at"))
  }

  test("columns that change under a running query end it") {
    val (source, path) = (new Source, table())
    val before = Dataset.open(LocalStore, path)
    source.add("1.json", 0 until 3)
    append(source, path)
    sql("SELECT 1L AS id, 2 AS more").write.format("lance").mode("append").option(
      "mergeSchema",
      "true"
    ).save(path)
    val target = new StreamTarget(
      "t",
      before,
      new org.apache.spark.sql.connector.write.LogicalWriteInfo {
        override def options() = org.apache.spark.sql.util.CaseInsensitiveStringMap.empty
        override def queryId() = "q"
        override def schema() = source.rows.schema
      },
      io.sparklance.spark.options.CommitOptions(),
      "Append",
      _.schema,
      new AppendCommit(_, _)
    )
    assert(refusal(target.epoch(7)).contains("columns of t were changed in version 3"))
  }

  test("columns that a stream lacks are null, unless they cannot be, or have a DEFAULT") {
    withTable { t =>
      def run(columns: String*): Unit = {
        val source = new Source
        source.add("1.json", 0 until 1)
        writing(source, source.rows.selectExpr(columns: _*)).option("columnGroups", "more").toTable(t)
          .awaitTermination()
      }
      sql(s"CREATE TABLE $t (id BIGINT NOT NULL, name STRING, more STRUCT<a: INT>) USING lance")
      run("coalesce(id, 0) AS id")
      run("coalesce(id, 0) + 1 AS id", "named_struct('a', 5) AS more")
      sql(s"INSERT INTO $t VALUES (2, NULL, NULL)")
      assert(
        rows(spark.table(t)) == Set(Row(0L, null, null), Row(1L, null, Row(5)), Row(2L, null, null))
      )
      assert(spark.table(t).where("name IS NULL").count() == 3)
      assert(refusal(run("'a' AS name")).contains("no column 'id'"))
      sql(s"ALTER TABLE $t ALTER COLUMN name SET DEFAULT 'x'")
      assert(refusal(
        run("coalesce(id, 0) AS id")
      ).contains("lack the column 'name', whose DEFAULT streams do not write"))
      sql(s"CALL lance.system.compact('${root(t)}')")
      assert(spark.table(t).where("more.a = 5").count() == 1)
    }
  }
}
