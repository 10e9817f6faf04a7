package io.sparklance.spark.write

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions.col
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.tags.Slow

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite
import io.sparklance.spark.history.Statement
import io.sparklance.spark.options.{CommitOptions, LanceOptions}
import io.sparklance.spark.session.{SerializableConf, TableLocation}
import io.sparklance.spark.table.WritableLanceTable
import io.sparklance.table.WriteId
import io.sparklance.table.transaction.BatchId

/** Streaming queries that merge their rows by key. */
@Slow
final class UpsertStreamsSuite extends SparkSuite with FileStreams {
  private val schema = "id BIGINT, name STRING"

  private def table(stable: Boolean = true): String = {
    val path = freshPath()
    sql("SELECT * FROM VALUES (1L, 'a'), (2L, 'b'), (3L, 'c') AS v (id, name)").coalesce(1)
      .write.format("lance").option("enableStableRowIds", stable).save(path)
    path
  }

  private def merge(
      source: Source,
      path: String,
      keys: String = "id",
      more: Map[String, String] = Map.empty
  ): Unit =
    writing(source, source.rows).format("lance").options(more).option("mergeKeys", keys).start(path)
      .awaitTermination()

  private def named(path: String): Map[Long, String] =
    load(path).collect().map(row => row.getLong(0) -> row.getString(1)).toMap

  /** Operations of the history, the newest first. */
  private def operations(path: String): Seq[String] =
    sql(
      s"CALL lance.system.history('$path')"
    ).orderBy(col("version").desc).select("operation").collect()
      .map(_.getString(0)).toSeq

  private def row(id: Any, name: String): String = s"""{"id":$id,"name":"$name"}"""

  /** Data files that no fragment of the latest version has, and that no earlier one had. */
  private def strays(path: String): Set[String] = {
    val all = Dataset.open(LocalStore, path)
    val used = (1L to all.version).flatMap { version =>
      Dataset.open(LocalStore, path, Some(version)).fragments.flatMap(_.files).map(_.path)
    }
    dataFiles(path).map(_.split('/').last).toSet -- used
  }

  Seq(true, false).foreach { stable =>
    test(s"rows with known keys are replaced, others added, each epoch once; stable row ids: $stable") {
      val (source, path) = (new Source(schema), table(stable))
      source.add("1.json", row(2, "B"), row(4, "D"))
      source.add("2.json", row(4, "E"), row(1, "A"), row(5, "F"))
      merge(source, path)
      val expected = Map(1L -> "A", 2L -> "B", 3L -> "c", 4L -> "E", 5L -> "F")
      assert(named(path) == expected && load(path).count() == 5)
      assert(strays(path).isEmpty)
      assert(operations(path) == Seq("STREAMING UPDATE", "STREAMING UPDATE", "WRITE"))
      val metrics = sql(s"DESCRIBE HISTORY lance.`$path`").limit(2).select("operationMetrics.numOutputRows")
      assert(metrics.collect().toSeq.map(_.getString(0)) == Seq("3", "2"))
      val version = Dataset.open(LocalStore, path).version
      source.forgetLastCommit()
      merge(source, path)
      assert(named(path) == expected && Dataset.open(LocalStore, path).version == version)
      assert(strays(path).isEmpty)
    }
  }

  test("replaced rows keep their stable ids, which the change feed shows as updates") {
    val (source, path) = (new Source(schema), table())
    source.add("1.json", row(2, "B"), row(4, "D"))
    merge(source, path)
    val feed =
      spark.read.format("lance").option("readChangeFeed", true).option("startingVersion", 2).load(path)
    assert(rows(feed.select("id", "name", "_change_type")) == Set(
      Row(2L, "b", "update_preimage"),
      Row(2L, "B", "update_postimage"),
      Row(4L, "D", "insert")
    ))
  }

  test("aggregates in output mode update are merged by several keys, also in a table with a name") {
    withTable { t =>
      sql(s"CREATE TABLE $t (day STRING, id BIGINT, n BIGINT) USING lance")
      val source = new Source("day STRING, id BIGINT")
      source.add("1.json", """{"day":"m","id":1}""", """{"day":"m","id":1}""", """{"day":"t","id":1}""")
      source.add("2.json", """{"day":"t","id":1}""", """{"day":"t","id":2}""")
      val counts = source.rows.groupBy("day", "id").count().withColumnRenamed("count", "n")
      writing(
        source,
        counts
      ).outputMode("update").option("mergeKeys", "day, id").toTable(t).awaitTermination()
      assert(rows(sql(s"SELECT * FROM $t")) == Set(Row("m", 1, 2), Row("t", 1, 2), Row("t", 2, 1)))
    }
  }

  test("more keys than a filter may have are merged, too") {
    val (source, path) = (new Source(schema), table())
    val repeated = new Source(schema)
    repeated.add("1.json", (0 until 10100).map(i => row(i % 10099, s"n$i")): _*)
    assert(refusal(merge(repeated, path)).contains("has 2 rows with the key id = 0"))
    source.add("1.json", (0 until 10100).map(i => row(i, s"n$i")): _*)
    merge(source, path)
    assert(named(path) == (0 until 10100).map(i => i.toLong -> s"n$i").toMap)
  }

  test("null and repeated keys are refused, and the query goes on without them") {
    val (source, path) = (new Source(schema), table())
    source.add("1.json", row(4, "D"))
    source.add("2.json", row("null", "N"), row(5, "E"))
    assert(refusal(merge(source, path)).contains("Epoch 1 of the stream has rows whose key (id) is null"))
    val kept = Map(1L -> "a", 2L -> "b", 3L -> "c", 4L -> "D")
    assert(named(path) == kept && strays(path).isEmpty)
    writing(source, source.rows.where("id IS NOT NULL")).format("lance").option("mergeKeys", "id").start(path)
      .awaitTermination()
    source.add("3.json", row(6, "F"), row(6, "G"))
    val message = refusal(merge(source, path))
    assert(message.contains("Epoch 2 of the stream has 2 rows with the key id = 6"))
    assert(named(path) == kept + (5L -> "E") && strays(path).isEmpty)
  }

  test("keys that the table lacks, and writes that are no merge, are refused") {
    val (source, path) = (new Source(schema), table())
    source.add("1.json", row(4, "D"))
    assert(refusal(merge(source, path, "key")).contains("'key', which"))
    assert(refusal(merge(source, path, "id,id")).contains("'id' twice"))
    val complete = writing(source, source.rows.groupBy("id").agg(Map("name" -> "max")).toDF("id", "name"))
      .outputMode("complete").format("lance").option("mergeKeys", "id")
    assert(refusal(complete.start(path).awaitTermination()).contains("Option 'mergeKeys' merges rows"))
    val update = writing(source, source.rows).outputMode("update").format("lance")
    val other = intercept[Exception](update.start(path).awaitTermination())
    assert(other.getMessage.contains("does not support Update mode"))
    val frame = sql("SELECT 1L AS id, 'x' AS name")
    Seq("mergeKeys" -> "id", "compactEvery" -> "2").foreach { case (key, value) =>
      val message = refusal(frame.write.format("lance").option(key, value).mode("append").save(path))
      assert(message.contains(s"Option '$key' is for streams, but this is a batch write"))
    }
    assert(named(path) == Map(1L -> "a", 2L -> "b", 3L -> "c"))
  }

  test("the table is compacted every few epochs, and no epoch is lost to that") {
    val (source, path) = (new Source(schema), table())
    (1 to 6).foreach(i => source.add(s"$i.json", row(i, s"r$i"), row(100 + i, "new")))
    merge(source, path, "id", Map("compactEvery" -> "2"))
    val end = System.nanoTime() + 60L * 1000000000L
    def isCompacted = operations(path).contains("OPTIMIZE")
    while (!isCompacted && System.nanoTime() < end) Thread.sleep(100)
    assert(isCompacted)
    assert(named(path) == (1L to 6L).flatMap(i => Seq(i -> s"r$i", 100 + i -> "new")).toMap)
    assert(load(path).count() == 12)
  }

  test("an epoch whose keys others insert before its commit is merged again, at most ten times") {
    val path = table()
    val location = TableLocation(path, SerializableConf.empty)
    val before = Dataset.open(LocalStore, path)
    val epoch =
      CommitOptions(
        batch = Some(BatchId("query", 0, isRemembered = true)),
        statement = Some(Statement("STREAMING UPDATE"))
      )
    val limits = LanceOptions.sessionWrite.limits
    val spec = WriteSpec(location, before.schema, before.fileVersion, limits, Vector(0, 1), WriteId.random())
    val writer = new LanceDataWriter(spec, TaskReports.none)
    Seq(2L -> "B", 7L -> "G").foreach { case (id, name) =>
      writer.write(InternalRow(id, UTF8String.fromString(name)))
    }
    val files = writer.files()
    // The MERGE of an attempt has its version; the other commits before it does.
    def beside(times: Int) = {
      var attempts = 0
      val commit = new UpsertCommit(
        Dataset.open(LocalStore, path),
        Vector("id"),
        epoch,
        (now, options, files) => {
          attempts += 1
          if (attempts <= times) sql(s"INSERT INTO lance.`$path` VALUES (7, 'theirs $attempts')")
          def of(rows: Dataset) = new WritableLanceTable(path, location, rows, epoch = Some(options))
          UpsertTables(of(now), of(now.ofFiles(files, "rows")))
        }
      )
      (commit, () => attempts)
    }
    val (always, tried) = beside(times = 100)
    assert(refusal(always.publish(files)).contains("added rows with keys that it inserts: (id = 7)"))
    assert(tried() == 11 && load(path).where("id = 7").count() == 11)
    sql(s"DELETE FROM lance.`$path` WHERE id = 7")
    val (once, triedAgain) = beside(times = 1)
    assert(once.publish(files).nonEmpty && triedAgain() == 2)
    assert(named(path) == Map(1L -> "a", 2L -> "B", 3L -> "c", 7L -> "G") && load(path).count() == 4)
  }
}
