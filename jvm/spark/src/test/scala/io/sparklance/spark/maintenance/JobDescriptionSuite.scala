package io.sparklance.spark.maintenance

import scala.collection.mutable

import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart}

import io.sparklance.spark.SparkSuite

/** Job descriptions of writes and maintenance in Spark's UI. */
class JobDescriptionSuite extends SparkSuite {
  private val Key = "spark.job.description"

  private def described: Option[String] = Option(spark.sparkContext.getLocalProperty(Key))

  /** The descriptions of the jobs that `body` runs. */
  private def jobs(body: => Any): Seq[String] = {
    val found = mutable.Buffer.empty[String]
    val listener = new SparkListener {
      override def onJobStart(job: SparkListenerJobStart): Unit = found.synchronized {
        val _ = found += String.valueOf(job.properties.getProperty(Key))
      }
    }
    val context = spark.sparkContext
    // Listeners hear of jobs late, and in their order.
    def mark(description: String): Unit = {
      context.setJobDescription(description)
      context.parallelize(Seq(1), 1).foreach(_ => ())
      context.setLocalProperty(Key, null)
      val _ = eventually(assert(found.synchronized(found.contains(description))))
    }
    context.addSparkListener(listener)
    try {
      mark("the start")
      found.synchronized(found.clear())
      val _ = body
      mark("the end")
    } finally {
      context.setLocalProperty(Key, null)
      context.removeSparkListener(listener)
    }
    found.filterNot(_ == "the end").toSeq
  }

  private def table(): String = {
    val path = freshPath()
    spark.range(10).selectExpr("id", "id AS x").coalesce(1).write.format("lance").save(path)
    path
  }

  private def described(path: String)(body: => Any): Seq[String] =
    jobs(body).distinct.map(_.replaceFirst(" \\S*" + path, " PATH"))

  test("writes describe their operation, table and version, and leave no description behind") {
    val path = freshPath()
    val rows = spark.range(10).coalesce(1).write.format("lance")
    assert(described(path)(rows.save(path)) == Seq("lance PATH create"))
    assert(described(path)(rows.mode("append").save(path)) == Seq("lance PATH version 1, append"))
    assert(described(path)(rows.mode("overwrite").save(path)) == Seq("lance PATH version 2, replace"))
    def insert(how: String) = described(path)(sql(s"INSERT $how VALUES (1)")).filter(_.startsWith("lance"))
    assert(insert(s"INTO lance.`$path`") == Seq("lance PATH version 3, append"))
    assert(insert(s"OVERWRITE lance.`$path`") == Seq("lance PATH version 4, overwrite"))
    assert(
      insert(s"INTO lance.`$path` REPLACE WHERE id = 1") ==
        Seq("lance PATH version 5, overwrite where id = 1")
    )
    assert(described.isEmpty)
  }

  test("changes of rows and columns, and compaction, describe theirs, too") {
    val path = table()
    def changed(statement: String) = described(path)(sql(statement).collect()).filter(_.startsWith("lance"))
    assert(changed(s"UPDATE lance.`$path` SET id = 100 WHERE x = 3") == Seq("lance PATH version 1, UPDATE"))
    assert(changed(s"DELETE FROM lance.`$path` WHERE x = 4") == Seq("lance PATH version 2, DELETE"))
    val source = "(SELECT 5L AS id) s"
    assert(
      changed(s"MERGE INTO lance.`$path` t USING $source ON t.id = s.id WHEN MATCHED THEN DELETE") ==
        Seq("lance PATH version 3, MERGE")
    )
    assert(
      changed(s"CALL lance.system.add_columns('$path', map('y', 'id + 1'))") ==
        Seq("lance PATH version 4, ADD COLUMNS")
    )
    assert(
      changed(s"ALTER TABLE lance.`$path` ADD COLUMN z INT DEFAULT 7") ==
        Seq("lance PATH version 5, columns of 2 fragments")
    )
    assert(changed(s"OPTIMIZE lance.`$path`") == Seq("lance PATH version 6, compact 1 group of fragments"))
    assert(described.isEmpty)
  }

  test("a write that fails leaves no description behind, and that of the user stays") {
    val path = freshPath()
    val failing = spark.range(10).selectExpr("raise_error('no') AS x").write.format("lance")
    assert(described(path)(intercept[Exception](failing.save(path))) == Seq("lance PATH create"))
    assert(described.isEmpty)
    assert(jobs {
      spark.sparkContext.setJobDescription("nightly")
      spark.range(1).write.format("lance").save(path)
      assert(described.contains("nightly"))
    }.distinct == Seq("nightly"))
  }

  test("a scan shows its version in the plan") {
    val path = table()
    val scan = load(path).queryExecution.executedPlan.toString
    assert(scan.contains(s"$path version 1, columns [id, x]"))
  }
}
