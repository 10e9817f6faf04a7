package io.sparklance.spark

import java.nio.file.{Files, Path}
import java.util.Comparator

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Versions that statements read: docs/reading.md. */
class SnapshotSuite extends SparkSuite {

  private def numbers(until: Int): DataFrame = spark.range(until).toDF("id")

  private def append(path: String): Unit = numbers(1).write.format("lance").mode("append").save(path)

  private def drop(path: String): Unit = {
    val all = Files.walk(Path.of(path))
    try all.sorted(Comparator.reverseOrder[Path]).forEach(p => Files.delete(p))
    finally all.close()
  }

  private def relations(frame: DataFrame): Vector[AnyRef] = {
    val plans = frame.queryExecution.analyzed.collectWithSubqueries { case r: DataSourceV2Relation =>
      r.table
    }
    plans.toVector
  }

  test("a statement that names a table several times reads one version of it") {
    val path = freshPath()
    numbers(3).write.format("lance").save(path)
    withTable { name =>
      sql(s"CREATE TABLE $name USING lance LOCATION '$path'")
      Seq(name, s"lance.`$path`").foreach { table =>
        val frame = sql(
          s"WITH a AS (SELECT * FROM $table) SELECT (SELECT count(*) FROM $table), count(*) FROM a JOIN $table b ON a.id = b.id"
        )
        val found = relations(frame)
        assert(found.size == 3 && found.forall(_ eq found.head), table)
      }
    }
  }

  test("a DataFrame stays at its version, a view of SQL does not") {
    val path = freshPath()
    numbers(3).write.format("lance").save(path)
    withTable { name =>
      sql(s"CREATE TABLE $name USING lance LOCATION '$path'")
      val frame = spark.table(name)
      sql(s"CREATE OR REPLACE TEMP VIEW held_query AS SELECT * FROM $name")
      append(path)
      assert(frame.count() == 3)
      assert(spark.table("held_query").count() == 4 && spark.table(name).count() == 4)
    }
  }

  test("a temporary view of a frame stays at its version on Spark 4.0, and is resolved again on later ones") {
    val path = freshPath()
    numbers(3).write.format("lance").save(path)
    withTable { name =>
      sql(s"CREATE TABLE $name USING lance LOCATION '$path'")
      spark.table(name).createOrReplaceTempView("held_frame")
      append(path)
      assert(spark.table("held_frame").count() == (if (spark.version.startsWith("4.0.")) 3 else 4))
    }
  }

  test(
    "a cached plan is of one version, and not of a table that was dropped and created again with the same number"
  ) {
    val path = freshPath()
    numbers(3).write.format("lance").save(path)
    val cached = load(path).cache()
    assert(cached.count() == 3 && load(path).count() == 3)
    append(path)
    assert(load(path).count() == 4)
    drop(path)
    numbers(7).write.format("lance").save(path)
    assert(load(path).count() == 7 && spark.read.format("lance").option("version", 1).load(path).count() == 7)
    cached.unpersist()
  }

  test("a frame over a dropped table does not read the table that replaced it") {
    val path = freshPath()
    numbers(3).write.format("lance").save(path)
    val held = load(path)
    drop(path)
    numbers(7).write.format("lance").save(path)
    assert(refusal(held.collect()).contains("was dropped and created again"))
  }

  test("a frame whose table or version is gone says so, whatever it reads") {
    val path = freshPath()
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT id FROM range(9)")
      numbers(9).write.format("lance").save(path)
      sql(s"CREATE INDEX by_id ON lance.`$path` USING btree (id)")
      val frames = Seq(spark.table(t), load(path)).flatMap { frame =>
        Seq(frame, frame.where("id = 3"), frame.selectExpr("sum(id * id)"), frame.groupBy("id").count())
      }
      val old = load(path)
      append(path)
      sql(s"CALL lance.system.compact('$path')")
      sql(s"CALL lance.system.cleanup('$path', retain_versions => 1)")
      assert(refusal(old.collect()).contains("the latest, does not need it"))
      sql(s"DROP TABLE $t")
      drop(path)
      frames.foreach { frame =>
        val failure = intercept[Exception](frame.collect())
        val all =
          Iterator.iterate[Throwable](failure)(_.getCause).takeWhile(_ != null).map(_.getMessage).toVector
        assert(all.exists(m => m != null && m.contains("was dropped, or its directory deleted")), all)
      }
    }
  }
}
