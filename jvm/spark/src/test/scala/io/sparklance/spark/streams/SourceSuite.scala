package io.sparklance.spark.streams

import scala.collection.mutable

import org.apache.spark.sql.connector.read.streaming.{
  MicroBatchStream,
  Offset,
  ReadLimit,
  SupportsAdmissionControl
}
import org.apache.spark.sql.streaming.{DataStreamReader, StreamingQuery, Trigger}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.tags.Slow

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite
import io.sparklance.spark.options.StoreOptions
import io.sparklance.spark.table.WritableLanceTable

/** Streaming queries that read a table. */
@Slow
final class SourceSuite extends SparkSuite {

  /** A query over a table that collects its batches. */
  final private class Query(t: String, options: (String, Any)*) {
    private var checkpoint: String = freshPath()

    /** Takes the checkpoint of another query. */
    def after(other: Query): Query = {
      checkpoint = other.checkpoint
      this
    }

    private val seen = mutable.ArrayBuffer.empty[Vector[Row]]

    private def reader: DataStreamReader =
      spark.readStream.format("lance").options(options.map { case (k, v) => k -> v.toString }.toMap)

    /** Runs until nothing is left. Returns the batches. */
    def run(select: DataFrame => DataFrame = _.select("id")): Seq[Seq[Any]] = {
      seen.clear()
      started(Trigger.AvailableNow(), select).awaitTermination()
      seen.map(_.map(row => if (row.size == 1) row.get(0) else row)).toSeq
    }

    def started(trigger: Trigger, select: DataFrame => DataFrame = _.select("id")): StreamingQuery = {
      val collect: (DataFrame, Long) => Unit = (batch, _) =>
        seen.synchronized { val _ = seen += batch.collect().toVector }
      select(reader.load(root(t))).writeStream.trigger(trigger).option("checkpointLocation", checkpoint)
        .foreachBatch(collect).start()
    }

    def rows: Set[Any] = seen.synchronized(seen.flatten.map(_.get(0)).toSet)
  }

  private def create(t: String, stable: Boolean = false): Unit = {
    val _ =
      sql(s"CREATE TABLE $t (id BIGINT, name STRING) USING lance OPTIONS ('enableStableRowIds' = '$stable')")
  }

  private def insert(t: String, ids: Long*): Unit = {
    val rows = ids.map(id => s"($id, 'n$id')").mkString(", ")
    sql(s"SELECT * FROM VALUES $rows AS v (id, name)").coalesce(1).selectExpr(
      "CAST(id AS BIGINT) AS id",
      "name"
    )
      .writeTo(t).append()
  }

  private def version(t: String): Long = Dataset.open(LocalStore, root(t)).version

  test("a stream returns the rows of the table first, and then those of each append once, across restarts") {
    withTable { t =>
      create(t)
      insert(t, 1, 2)
      insert(t, 3)
      val query = new Query(t)
      assert(query.run().flatten.toSet == Set(1, 2, 3))
      assert(query.run().flatten.isEmpty)
      insert(t, 4)
      insert(t, 5)
      assert(query.run().flatten.sortBy(_.toString) == Seq(4, 5))
      assert(query.run().flatten.isEmpty)
    }
  }

  test("a first batch that is repeated after a failure has the rows that it had") {
    Seq("maxFilesPerTrigger" -> 2, "startingVersion" -> 2).foreach { option =>
      withTable { t =>
        create(t)
        (1 to 3).foreach(i => insert(t, i.toLong))
        val query = new Query(t, option)
        val fail = (rows: DataFrame) => rows.selectExpr("CAST(raise_error('no') AS BIGINT) AS id")
        val _ = intercept[Exception](query.started(Trigger.AvailableNow(), fail).awaitTermination())
        insert(t, 4)
        val batches = query.run()
        assert(batches.head.size == (if (option._1 == "startingVersion") 3 else 2))
        assert(batches.flatten.sortBy(_.toString) == Seq(1, 2, 3, 4))
      }
    }
  }

  test("compaction, indices and properties give no rows") {
    withTable { t =>
      create(t)
      insert(t, 1)
      insert(t, 2)
      val query = new Query(t)
      assert(query.run().flatten.size == 2)
      sql(s"OPTIMIZE $t")
      sql(s"CREATE INDEX i ON TABLE $t USING BTREE (id)")
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('a' = 'b')")
      assert(query.run().flatten.isEmpty)
      insert(t, 3)
      sql(s"OPTIMIZE $t")
      assert(query.run().flatten == Seq(3))
    }
  }

  test("maxFilesPerTrigger, maxRowsPerTrigger and maxBytesPerTrigger limit each batch, of the snapshot, too") {
    withTable { t =>
      create(t)
      (1 to 4).foreach(i => insert(t, i.toLong, i.toLong + 100))
      val one = new Query(t, "maxFilesPerTrigger" -> 1)
      assert(one.run().map(_.size) == Seq(2, 2, 2, 2))
      (5 to 7).foreach(i => insert(t, i.toLong))
      assert(one.run().filter(_.nonEmpty).map(_.size) == Seq(1, 1, 1))
      assert(new Query(t, "maxRowsPerTrigger" -> 4).run().map(_.size) == Seq(4, 4, 3))
      assert(new Query(t, "maxBytesPerTrigger" -> 1).run().filter(_.nonEmpty).size == 7)
      assert(new Query(
        t,
        "maxRowsPerTrigger" -> 3,
        "startingVersion" -> 2
      ).run().filter(_.nonEmpty).map(_.size) ==
        Seq(2, 2, 2, 3, 2))
    }
  }

  test("a batch waits for minRowsPerTrigger, but no longer than maxTriggerDelay") {
    withTable { t =>
      create(t)
      insert(t, 1)
      val patient = new Query(t, "minRowsPerTrigger" -> 3, "maxTriggerDelay" -> "1h")
      val hasty = new Query(t, "minRowsPerTrigger" -> 3, "maxTriggerDelay" -> "1ms")
      val running = Seq(patient, hasty).map(_.started(Trigger.ProcessingTime(10)))
      eventually(assert(hasty.rows == Set(1)))
      assert(patient.rows.isEmpty)
      insert(t, 2, 3)
      eventually(assert(patient.rows == Set(1, 2, 3) && hasty.rows == Set(1, 2, 3)))
      running.foreach(_.stop())
    }
  }

  test("a version with several fragments is divided among batches") {
    withTable { t =>
      create(t)
      spark.range(0, 10, 1, 1).selectExpr(
        "id",
        "'x' AS name"
      ).writeTo(t).option("maxRowsPerFile", "2").append()
      val query = new Query(t, "startingVersion" -> 2, "maxFilesPerTrigger" -> 2)
      assert(query.run().map(_.toSet) == Seq(Set(0, 1, 2, 3), Set(4, 5, 6, 7), Set(8, 9)))
    }
  }

  test("startingVersion, startingTimestamp and latest choose where a stream begins") {
    withTable { t =>
      create(t)
      (1 to 4).foreach(i => insert(t, i.toLong))
      val times = Dataset.open(LocalStore, root(t)).versions.map(v => v.version -> v.timestamp).toMap
      assert(new Query(t, "startingVersion" -> 4).run().flatten.toSet == Set(3, 4))
      assert(new Query(t, "startingVersion" -> 1).run().flatten.toSet == Set(1, 2, 3, 4))
      assert(new Query(t, "startingTimestamp" -> times(5)).run().flatten.toSet == Set(4))
      val latest = new Query(t, "startingVersion" -> "latest")
      assert(latest.run().flatten.isEmpty)
      insert(t, 9)
      assert(latest.run().flatten == Seq(9))
    }
  }

  test("a start beyond the end is refused, and the checkpoint stays usable for the time when it is there") {
    withTable { t =>
      create(t)
      insert(t, 1)
      val (early, latest) =
        (new Query(t, "startingVersion" -> 4), new Query(t, "startingVersion" -> "newest"))
      assert(refusal(early.run()).contains("the latest version of the table"))
      assert(refusal(latest.run()).contains("cannot be 'newest'"))
      (2 to 4).foreach(i => insert(t, i.toLong))
      assert(early.run().flatten.toSet == Set(3, 4))
    }
  }

  test("deleted, changed and replaced rows stop a stream, unless an option passes over them") {
    withTable { t =>
      create(t)
      insert(t, 1, 2, 3)
      val strict = new Query(t)
      val (deletes, changes) =
        (new Query(t, "ignoreDeletes" -> true), new Query(t, "skipChangeCommits" -> true))
      Seq(strict, deletes, changes).foreach(query => assert(query.run().flatten.size == 3))
      sql(s"DELETE FROM $t WHERE id = 1")
      insert(t, 4)
      assert(refusal(strict.run()).contains("deleted rows"))
      assert(deletes.run().flatten == Seq(4) && changes.run().flatten == Seq(4))
      sql(s"UPDATE $t SET name = 'x' WHERE id = 2")
      insert(t, 5)
      assert(refusal(deletes.run()).contains("changed rows"))
      assert(changes.run().flatten == Seq(5))
      sql(s"INSERT OVERWRITE $t VALUES (7, 'g')")
      assert(refusal(new Query(t, "startingVersion" -> version(t)).run()).contains("replaced all rows"))
    }
  }

  test("a change of columns stops a running query, and a new run goes on with the new columns") {
    withTable { t =>
      create(t)
      insert(t, 1)
      val (strict, open) = (new Query(t), new Query(t, "allowAddedColumns" -> true))
      val running = Seq(strict, open).map(_.started(Trigger.ProcessingTime(10)))
      eventually(assert(strict.rows == Set(1) && open.rows == Set(1)))
      sql(s"ALTER TABLE $t ADD COLUMN more INT")
      sql(s"INSERT INTO $t VALUES (2, 'n2', 5)")
      assert(refusal(running.head.awaitTermination()).contains("changed its columns"))
      eventually(assert(open.rows == Set(1, 2)))
      running(1).stop()
      assert(strict.run(_.select("id", "more")).flatten == Seq(Row(2, 5)))
    }
  }

  test("a table that was dropped and created again is not the table of the checkpoint") {
    withTable { t =>
      create(t)
      insert(t, 1)
      val query = new Query(t)
      assert(query.run().flatten.size == 1)
      sql(s"DROP TABLE $t")
      create(t)
      assert(refusal(query.run()).contains("of another table"))
      // As many versions as the checkpoint knows, and more.
      for (id <- 1 to 5) {
        insert(t, id.toLong)
        assert(refusal(query.run()).contains("of another table"))
      }
    }
  }

  test("a running query sees that its table was replaced by one of as many versions, also between batches") {
    val path = freshPath()
    def make(): Unit =
      for (id <- 1 to 3) spark.range(id.toLong).write.format("lance").mode("append").save(path)
    make()
    val location = StoreOptions.locate(path)
    val table = new WritableLanceTable("t", location, Dataset.open(location.store, location.root))
    val stream =
      table.newScanBuilder(CaseInsensitiveStringMap.empty).build().toMicroBatchStream(freshPath()) match {
        case stream: MicroBatchStream with SupportsAdmissionControl => stream
        case other => fail(s"$other")
      }
    def after(offset: Offset): Offset = stream.latestOffset(offset, ReadLimit.allAvailable)
    val all = after(stream.initialOffset())
    assert(after(all) == all)
    location.store.deleteTree(location.root)
    assert(refusal(after(all)).contains("dropped while a stream reads it"))
    make()
    assert(refusal(after(all)).contains("of another table"))
    assert(refusal(stream.planInputPartitions(all, all)).contains("of another table"))
  }

  test("a checkpoint of the change feed is not one of the rows, nor the other way round") {
    withTable { t =>
      create(t, stable = true)
      insert(t, 1)
      val (feed, rows) = (new Query(t, "readChangeFeed" -> true), new Query(t))
      Seq(feed, rows).foreach(query => assert(query.run().flatten == Seq(1)))
      for (_ <- 1 to 2) {
        assert(refusal(new Query(t).after(feed).run()).contains("reads the change feed of the table"))
        assert(refusal(new Query(
          t,
          "readChangeFeed" -> true
        ).after(rows).run()).contains("reads the rows of the table"))
        insert(t, 2)
      }
      Seq(feed, rows).foreach(query => assert(query.run().flatten == Seq(2, 2)))
    }
  }

  test("a version that was cleaned up stops a stream, unless failOnDataLoss is false") {
    withTable { t =>
      create(t)
      insert(t, 1)
      val (strict, lenient) = (new Query(t), new Query(t, "failOnDataLoss" -> false))
      Seq(strict, lenient).foreach(query => assert(query.run().flatten.size == 1))
      insert(t, 2)
      insert(t, 3)
      sql(s"CALL lance.system.cleanup(table => '$t', retain_versions => 1)")
      assert(refusal(strict.run()).contains("clean-up has removed version"))
      assert(lenient.run().flatten == Seq(3))
    }
  }

  test("a snapshot that was cleaned up while it was read stops a stream, and no option passes over it") {
    withTable { t =>
      create(t)
      insert(t, 1)
      val (strict, lenient) = (new Query(t), new Query(t, "failOnDataLoss" -> false))
      val fail = (rows: DataFrame) => rows.selectExpr("CAST(raise_error('no') AS BIGINT) AS id")
      Seq(strict, lenient).foreach { query =>
        intercept[Exception](query.started(Trigger.AvailableNow(), fail).awaitTermination())
      }
      sql(s"INSERT OVERWRITE $t VALUES (2L, 'b')")
      sql(s"CALL lance.system.cleanup(table => '$t', retain_versions => 1)")
      Seq(strict, lenient).foreach { query =>
        val said = refusal(query.run())
        assert(said.contains("clean-up has removed version 2, which it has not read"))
        assert(said.contains("Start another query with another checkpoint") && !said.contains("Set option"))
      }
    }
  }

  test("a stream of the change feed returns both images of updates, deletes, and the snapshot as inserts") {
    withTable { t =>
      create(t, stable = true)
      insert(t, 1, 2)
      val query = new Query(t, "readChangeFeed" -> true)
      def changes() = query.run(_.select("id", "name", "_change_type", "_commit_version")).flatten.toSet
      assert(changes() == Set(Row(1, "n1", "insert", 2), Row(2, "n2", "insert", 2)))
      sql(s"UPDATE $t SET name = 'x' WHERE id = 1")
      sql(s"DELETE FROM $t WHERE id = 2")
      sql(s"OPTIMIZE $t")
      assert(changes() == Set(
        Row(1, "n1", "update_preimage", 3),
        Row(1, "x", "update_postimage", 3),
        Row(2, "n2", "delete", 4)
      ))
      assert(changes().isEmpty)
    }
  }

  test("a tag or a branch can be where a stream begins") {
    withTable { t =>
      create(t)
      insert(t, 1)
      sql(s"CALL lance.system.create_tag('$t', 'first')")
      sql(s"CALL lance.system.create_branch('$t', 'b')")
      insert(t, 2)
      sql(s"SELECT 7L AS id, 'x' AS name").write.format("lance").mode("append").option(
        "branch",
        "b"
      ).save(root(t))
      val tagged = new Query(t, "tag" -> "first", "maxFilesPerTrigger" -> 1)
      assert(tagged.run().flatten == Seq(1, 2))
      assert(new Query(t, "branch" -> "b").run().flatten.toSet == Set(1, 7))
    }
  }

  test("progress tells how far the stream is behind the table") {
    withTable { t =>
      create(t)
      insert(t, 1)
      insert(t, 2)
      val query = new Query(t, "startingVersion" -> 1)
      val running = query.started(Trigger.AvailableNow())
      running.awaitTermination()
      val metrics = running.lastProgress.sources.head.metrics
      assert(metrics.get("latestVersion") == "3" && metrics.get("versionsBehind") == "0")
    }
  }

  test("an offset of a later release, or that is none of ours, is refused by name") {
    val later = """{"lanceOffset":2,"version":3,"isSnapshot":false,"identity":""}"""
    assert(refusal(LanceOffset.parse(later)).contains("written by a later release"))
    Seq("{}", "7", "", """{"lanceOffset":1,"version":-1,"identity":""}""").foreach { json =>
      assert(refusal(LanceOffset.parse(json)).contains("not one of a Lance table"))
    }
    val offset = LanceOffset(7, Some(3), isSnapshot = true, "7 1.5 a\"b.txn")
    assert(LanceOffset.parse(offset.json()) == offset)
    val first = offset.copy(origin = Some(LanceOffset(6, None, isSnapshot = false, "")))
    assert(LanceOffset.parse(first.json()) == first)
    val feed = offset.copy(kind = Some(StreamKind.Changes))
    assert(LanceOffset.parse(feed.json()) == feed)
    assert(
      feed.json() ==
        """{"lanceOffset":1,"version":7,"index":3,"isSnapshot":true,"identity":"7 1.5 a\"b.txn","reads":"changes"}"""
    )
    assert(refusal(LanceOffset.parse(feed.json().replace(
      "changes",
      "more"
    ))).contains("not one of a Lance table"))
  }
}
