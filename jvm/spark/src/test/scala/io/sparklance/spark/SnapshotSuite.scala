package io.sparklance.spark

import java.nio.file.{Files, Path}
import java.util.Comparator

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Versions that statements read: docs/options.md. */
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
    val failure = intercept[Exception](held.collect())
    assert(Iterator.iterate[Throwable](failure)(
      _.getCause
    ).takeWhile(_ != null).exists(_.getMessage.contains("the file is missing")))
  }
}
