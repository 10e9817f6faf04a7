package io.sparklance.spark.index

import java.nio.file.{Files, Path}

import org.apache.spark.sql.functions.{lit, udf}
import org.apache.spark.sql.{Row, SparkSession}
import org.scalatest.tags.Slow

import io.sparklance.dataset.Dataset
import io.sparklance.spark.options.{CommitOptions, IndexOptions, KeepIndices, StoreOptions}
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.write.FileStreams
import io.sparklance.spark.{LoggedLines, SparkSuite}
import io.sparklance.table.commit.CommitOutcome
import io.sparklance.{IndicesMissingException, LanceUsageException}

/** Indices of tables whose rows are all replaced, while others change the table. */
@Slow
class ReplacedIndicesSuite extends SparkSuite with FileStreams with LoggedLines {
  private val rebuilding = CommitOptions(indices = IndexOptions(keep = KeepIndices.Rebuild))

  private def run(statement: String): Unit = { val _ = sql(statement) }

  /** Makes a table by path with two indices. */
  private def indexed(): (String, TableLocation) = {
    val path = freshPath()
    spark.range(100).selectExpr("id", "concat('n', id % 7) AS name").write.format("lance").save(path)
    run(s"CREATE INDEX by_id ON lance.`$path` USING btree (id) OPTIONS (zone_size = 16)")
    run(s"CREATE INDEX by_name ON lance.`$path` USING bitmap (name)")
    SparkSession.setActiveSession(spark)
    (path, StoreOptions.locate(path))
  }

  private def open(location: TableLocation): Dataset = Dataset.open(location.store, location.root)

  /** Names of indices, with the number of fragments that they cover, and of others. */
  private def shown(path: String): Set[Row] =
    rows(
      sql(s"SHOW INDEXES IN lance.`$path`").select("name", "indexed_fragments", "unindexed_fragments")
    )

  /** Commits the table's files once more in place of all rows, after `before` and ahead of `after`. */
  private def replaced(location: TableLocation)(before: => Unit)(after: => Unit): Unit = {
    val dataset = open(location)
    val follow = ReplacedIndices.plan(location, dataset, dataset.schema, rebuilding)
    before
    val outcome = dataset.commit(dataset.refilling(Vector.empty)).commit
    after
    follow(outcome)
  }

  test("indices are built on what others have committed since the rows were replaced") {
    val (path, location) = indexed()
    replaced(location)(()) {
      run(s"INSERT INTO lance.`$path` SELECT /*+ COALESCE(1) */ id, 'x' FROM range(10)")
      run(s"DELETE FROM lance.`$path` WHERE id = 3")
    }
    assert(shown(path) == Set(Row("by_id", 1, 0), Row("by_name", 1, 0)))
    assert(load(path).where("id BETWEEN 2 AND 4").count() == 2)
    val settings =
      sql(s"DESCRIBE INDEX by_id ON lance.`$path`").select("settings").head().getMap[String, String](0)
    assert(settings("zone_size") == "16")
  }

  test("an index that others make before the commit is built again, and one that they drop is not") {
    val (path, location) = indexed()
    replaced(location) {
      run(s"DROP INDEX by_name ON lance.`$path`")
      run(s"CREATE INDEX theirs ON lance.`$path` USING zonemap (id)")
    }(())
    assert(shown(path).map(_.getString(0)) == Set("by_id", "theirs"))
  }

  test("an index that others make after the commit stays as they made it") {
    val (path, location) = indexed()
    replaced(location)(())(run(s"CREATE INDEX by_id ON lance.`$path` USING zonemap (id)"))
    val kinds = rows(sql(s"SHOW INDEXES IN lance.`$path`").select("name", "type"))
    assert(kinds == Set(Row("by_id", "ZoneMap"), Row("by_name", "Bitmap")))
  }

  test("an index whose column others drop is missing afterwards, which is an error that names it alone") {
    val (path, location) = indexed()
    val e = intercept[IndicesMissingException](
      replaced(location)(())(run(s"ALTER TABLE lance.`$path` DROP COLUMN id"))
    )
    assert(shown(path).map(_.getString(0)) == Set("by_name"))
    val text = e.getMessage
    assert(text.contains("The rows are committed as version 4 of the table at") && text.contains(path), text)
    assert(text.contains("'by_id' (the column 'id' is gone)") && !text.contains("by_name"), text)
    assert(text.contains(
      s"Build them: CREATE INDEX `by_id` ON lance.`${location.uri}` USING btree (`id`) OPTIONS (zone_size = '16')"
    ))
  }

  test("another overwrite after the commit gets the indices, too") {
    val (path, location) = indexed()
    replaced(location)(()) {
      spark.range(5).selectExpr(
        "'y' AS name",
        "id"
      ).coalesce(1).write.format("lance").mode("overwrite").save(path)
    }
    assert(shown(path) == Set(Row("by_id", 1, 0), Row("by_name", 1, 0)))
    assert(load(path).where("name = 'y' AND id = 4").count() == 1)
  }

  test("an index whose settings cannot be read refuses the write") {
    val (path, location) = indexed()
    val indices = Path.of(path, "_indices")
    Files.move(indices, Path.of(path, "_elsewhere"))
    def plan(options: CommitOptions): CommitOutcome => Unit = {
      val dataset = open(location)
      ReplacedIndices.plan(location, dataset, dataset.schema, options)
    }
    val e = intercept[LanceUsageException](plan(rebuilding))
    assert(e.getMessage.contains("'by_id' (its settings cannot be read: ") &&
      e.getMessage.contains("Nothing was written"))
    val _ = plan(CommitOptions())
  }

  test("a build that fails leaves the rows committed, and tells the statements that repeat it") {
    val (path, location) = indexed()
    val (indices, aside) = (s"$path/_indices", s"$path/_aside")
    // The write's task makes the directory of indices a file, so that nothing can be built there.
    val blocking = udf { (id: Long) =>
      if (!Files.exists(Path.of(aside))) {
        Files.move(Path.of(indices), Path.of(aside))
        val _ = Files.writeString(Path.of(indices), "in the way")
      }
      id
    }
    val source = spark.range(0, 20, 1, 1)
    val named = source.select(blocking.asNondeterministic()(source("id")).as("id"), lit("n").as("name"))
    val text = refusal(
      named.write.format("lance").mode("overwrite").option("keepIndices", "rebuild").save(path)
    )
    assert(text.contains("The rows are committed as version 4") && text.contains("'by_id' ("), text)
    assert(load(path).count() == 20 && load(path).where("id = 7").count() == 1)
    Files.delete(Path.of(indices))
    text.split("Build them: ").last.stripSuffix(".").split("; ").foreach(run)
    assert(shown(path) == Set(Row("by_id", 1, 0), Row("by_name", 1, 0)))
    assert(open(location).version == 6)
  }

  test("a batch that is repeated builds nothing") {
    val (path, _) = indexed()
    def batch(): Unit = spark.range(3).selectExpr("id", "'x' AS name").write.format("lance").mode("overwrite")
      .option("txnAppId", "a").option("txnVersion", 1).option("keepIndices", "rebuild").save(path)
    batch()
    assert(shown(path).map(_.getString(0)) == Set("by_id", "by_name"))
    run(s"ALTER TABLE lance.`$path` DROP COLUMN name")
    batch()
    run(
      s"INSERT OVERWRITE lance.`$path` WITH (txnAppId = 'a', txnVersion = '1', keepIndices = 'rebuild') VALUES (9L)"
    )
    assert(shown(path).map(_.getString(0)) == Set("by_id") && load(path).count() == 3)
  }

  test("dropped indices are named by one line of the log") {
    val (path, location) = indexed()
    val lines = logged(ReplacedIndices.getClass)(run(s"TRUNCATE TABLE lance.`$path`"))
    assert(lines == Seq(
      s"version 4 of $location replaced all rows and dropped the indices by_id, by_name; build them again with CREATE " +
        "INDEX, or write with the option keepIndices = rebuild"
    ))
  }

  test("in mode complete each epoch builds the indices again, or drops them") {
    withTable { t =>
      val source = new Source
      run(s"CREATE TABLE $t (id BIGINT, n BIGINT NOT NULL) USING lance")
      run(s"CREATE INDEX by_n ON $t USING btree (n)")
      val counts = source.rows.groupBy("id").count().withColumnRenamed("count", "n")
      def epoch(name: String, ids: Range, keep: String): Seq[String] = {
        source.add(name, ids)
        withSetting("spark.sql.streaming.statefulOperator.alwaysNullableOutput.enabled", "false") {
          val stream = writing(source, counts).outputMode("complete").option("keepIndices", keep)
          stream.toTable(t).awaitTermination()
        }
        sql(s"SHOW INDEXES IN $t").where("unindexed_fragments = 0").collect().map(_.getString(0)).toSeq
      }
      assert(epoch("1.json", 0 until 3, "rebuild") == Seq("by_n"))
      assert(epoch("2.json", 2 until 5, "rebuild") == Seq("by_n"))
      assert(rows(sql(s"SELECT id FROM $t WHERE n = 2")) == Set(Row(2)))
      assert(epoch("3.json", 5 until 6, "drop").isEmpty)
      val history = sql(s"DESCRIBE HISTORY $t").select("operation", "operationParameters").collect()
      assert(history.head.getString(0) == "STREAMING UPDATE")
      assert(history.head.getMap[String, String](1)("droppedIndices") == "by_n")
    }
  }
}
