package io.sparklance.spark.rowlevel

import java.nio.file.{Files, Path}

import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration.DurationInt
import scala.concurrent.{Await, Future}
import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.sql.functions.{col, expr, lit}

import io.sparklance.dataset.Dataset
import io.sparklance.spark.Ring

/** Statements whose table is dropped while their tasks run, and created again with fewer, as many or more
  * versions: they fail with one clear error, and the new table stays as it is.
  */
final class RecreatedTableSuite extends RowLevelSuite {

  /** Each reads some rows of a table and waits there. */
  private val statements: Seq[(String, String => Any)] = Seq(
    "DELETE" -> (t => sql(s"DELETE FROM $t WHERE id IN (13, 27) AND gated(id)")),
    "UPDATE" -> (t => sql(s"UPDATE $t SET name = 'mine' WHERE id IN (13, 27) AND gated(id)")),
    "MERGE" ->
      (t =>
        sql(
          s"MERGE INTO $t t USING (SELECT explode(array(13L, 500L)) AS id) s ON t.id = s.id AND gated(t.id) " +
            "WHEN MATCHED THEN UPDATE SET name = 'mine' WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, 'mine')"
        )
      ),
    "INSERT INTO" -> (t => sql(s"INSERT INTO $t SELECT id, 'mine' FROM range(0, 3, 1, 1) WHERE gated(id)")),
    "INSERT OVERWRITE" ->
      (t => sql(s"INSERT OVERWRITE $t SELECT id, 'mine' FROM range(0, 3, 1, 1) WHERE gated(id)")),
    "overwrite(condition)" -> (t => mine.writeTo(t).overwrite(col("id") <= 13)),
    "append by path" -> (t => mine.write.format("lance").mode("append").save(root(t))),
    "overwrite by path" -> (t => mine.write.format("lance").mode("overwrite").save(root(t))),
    "append with new columns" ->
      (t =>
        mine.withColumn(
          "more",
          lit(1)
        ).write.format("lance").mode("append").option("mergeSchema", "true").save(root(t))
      ),
    "REPLACE TABLE AS SELECT" ->
      (t =>
        sql(
          s"REPLACE TABLE lance.`${root(t)}` USING lance AS SELECT id, 'mine' AS name FROM range(0, 3, 1, 1) WHERE gated(id)"
        )
      ),
    "add_columns" ->
      (t =>
        sql(s"CALL lance.system.add_columns(table => '${root(t)}', columns => map('more', 'gated(id)'))")
      ),
    "update_columns" ->
      (t =>
        sql(
          s"CALL lance.system.update_columns(table => '${root(t)}', columns => map('name', 'CAST(gated(id) AS STRING)'))"
        )
      )
  )

  private def mine =
    spark.range(0, 3, 1, 1).select(col("id"), lit("mine").as("name")).where(expr("gated(id)"))

  private val counts = Seq("fewer" -> 1, "as many" -> 2, "more" -> 5)

  /** Version 2 of a table with a hundred rows. */
  private def withSecondVersion(body: String => Any): Unit = withNumbers(Map.empty[String, String]) { t =>
    sql(s"INSERT INTO $t VALUES (100, 'second')")
    body(t)
  }

  /** A table with this number of versions, which replaces others. It is made beforehand, because waiting
    * tasks occupy all slots.
    */
  private def template(versions: Int): Path = {
    val path = freshPath()
    sql(s"CREATE TABLE lance.`$path` (id BIGINT, name STRING) USING lance")
    (2 to versions).foreach { i =>
      sql(s"INSERT INTO lance.`$path` VALUES (${12 + i}, 'theirs'), (${26 + i}, 'theirs')")
    }
    Path.of(path)
  }

  private def recreate(t: String, template: Path): Unit = {
    sql(s"DROP TABLE $t")
    sql(s"CREATE TABLE $t (id BIGINT, name STRING) USING lance")
    filesBelow(Path.of(root(t))).foreach(Files.delete)
    filesBelow(template).foreach { file =>
      val target = Path.of(root(t)).resolve(template.relativize(file))
      Files.createDirectories(target.getParent)
      Files.copy(file, target)
    }
  }

  private def filesBelow(directory: Path): Vector[Path] = {
    val all = Files.walk(directory)
    try all.iterator.asScala.filter(Files.isRegularFile(_)).toVector
    finally all.close()
  }

  private def files(t: String): Map[String, Seq[Byte]] =
    filesBelow(Path.of(root(t))).map(path => path.toString -> Files.readAllBytes(path).toSeq).toMap

  /** Returns the outcome of a statement during whose tasks `other` runs. */
  private def during(statement: => Any)(other: => Any): Try[Any] = {
    val gate = Gate.closed()
    val _ = spark.udf.register("gated", (id: Long) => gate.pass(id))
    val running = Future(statement)
    while (gate.reached.getCount > 0 && !running.isCompleted) Thread.sleep(5)
    try { val _ = other }
    finally gate.open.countDown()
    Try(Await.result(running, 100.seconds))
  }

  for {
    ((name, statement), i) <- statements.zipWithIndex
    ((count, versions), j) <- counts.zipWithIndex
    tags = if ((i + j) % counts.size == 0) Nil else Seq(Ring.Cross)
  }
    test(s"$name, while its table is replaced by one of $count versions", tags: _*) {
      withSecondVersion { t =>
        var after = Map.empty[String, Seq[Byte]]
        val other = template(versions)
        val ended = during(statement(t)) {
          recreate(t, other)
          after = files(t)
        }
        val said = refusal(ended.get)
        val reasons =
          Seq("of a table that was dropped", "was dropped and created again", "or the whole table (file")
        assert(reasons.exists(said.contains(_)), said)
        eventually(assert(files(t).keySet == after.keySet))
        assert(files(t) == after)
        assert(dataset(t).version == versions)
      }
    }

  test("statements that were planned on a table that was replaced since") {
    withSecondVersion { t =>
      val (table, old) = (dataset(t), spark.table(t))
      recreate(t, template(2))
      assert(refusal(table.append(Vector.empty)).contains("of a table that was dropped"))
      assert(refusal(old.collect()).contains("was dropped and created again"))
    }
  }

  test("a streaming query whose table is replaced ends") {
    for ((_, versions) <- Ring.inTurns(counts: _*)) withSecondVersion { t =>
      val source = Files.createDirectories(Path.of(freshPath()))
      def add(name: String) =
        Files.writeString(source.resolve(name), """{"id": 7, "name": "streamed"}""")
      add("1.json")
      val query = spark.readStream.schema("id BIGINT, name STRING").json(source.toString)
        .writeStream.option("checkpointLocation", freshPath()).format("lance").start(root(t))
      try {
        query.processAllAvailable()
        assert(dataset(t).version == 3)
        recreate(t, template(versions))
        add("2.json")
        assert(refusal(query.processAllAvailable()).contains("The streaming write to"))
      } finally query.stop()
      assert(dataset(t).version == versions && !names(t).contains(7))
    }
  }

  test("an epoch that a RESTORE took back is written again") {
    withSecondVersion { t =>
      sql(s"INSERT INTO $t VALUES (101, 'third')")
      def batch() = spark.range(500, 502).selectExpr("id", "'batch' AS name")
        .writeTo(t).option("txnAppId", "job").option("txnVersion", "1").append()
      batch()
      batch()
      assert(dataset(t).version == 4)
      sql(s"RESTORE TABLE $t TO VERSION AS OF 3")
      batch()
      assert(dataset(t).version == 6 && names(t).keySet.intersect(Set(500L, 501L)).size == 2)
      assert(Dataset.open(dataset(t).store, root(t), Some(5)).countRows == 102)
      batch()
      assert(dataset(t).version == 6)
    }
  }
}
