package io.sparklance.spark.backfill

import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.Future

import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskStart}
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.{DataWriter, LogicalWriteInfo}
import org.apache.spark.sql.functions.{col, udf}
import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.backfill.{JobFolder, ReplacedColumns}
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.history.Statement
import io.sparklance.spark.options.{LanceOptions, StoreOptions}

/** Jobs and tasks that fail, are killed, or run twice. */
class BackfillJobsSuite extends BackfillTables {
  test("a failed job continues where it stopped, without rewriting finished fragments") {
    val path = table(6)
    val files = names(path)
    val failing =
      udf((i: Long) =>
        if (i == 45 && BackfillTables.fails.get) throw new RuntimeException("by design") else i
      )
    def attempt(): Unit =
      write(load(path).select(col("_rowaddr"), failing(col("id")).as("y")), path, "add", "columnsJob" -> "j1")
    BackfillTables.fails.set(true)
    withSetting("spark.sql.files.minPartitionNum", "6") {
      val _ = intercept[Exception](attempt())
      eventually(assert(names(path).size < 12))
      val finished = names(path) -- files
      assert(finished.nonEmpty && jobs(path) == Seq("j1"))
      BackfillTables.fails.set(false)
      attempt()
      assert(finished.subsetOf(names(path)) && names(path).size == 12)
    }
    assert(jobs(path).isEmpty)
    assert(rows(load(path)) == (0L until 60L).map(i => Row(i, i * 10, i)).toSet)
    assert(dataset(path).fragments.flatMap(_.files).map(_.path).toSet == names(path))
  }

  test("finished fragments of a job count only for the same columns and files") {
    val path = table(3)
    def attempt(value: String): Unit = write(
      load(path).select(col("_rowaddr"), udf(BackfillTables.failAt20).apply(col("id")).cast(value).as("y")),
      path,
      "add",
      "columnsJob" -> "j"
    )
    BackfillTables.fails.set(true)
    withSetting("spark.sql.files.minPartitionNum", "3")(intercept[Exception](attempt("long")))
    eventually(assert(jobs(path) == Seq("j")))
    val _ = update(path, "'x', '7'", ", where => 'id < 10'")
    BackfillTables.fails.set(false)
    attempt("string")
    assert(rows(load(path).select("id", "y")) == (0L until 30L).map(i => Row(i, i.toString)).toSet)
  }

  test("finished fragments of a job count only for the same expressions, where these are known") {
    val path = table(3)
    val same = ", job_id => 'j'"
    withSetting("spark.sql.files.minPartitionNum", "3") {
      val _ = intercept[Exception](add(path, "'y', 'id * 2 + 0 * (1 div (id - 25))'", same))
    }
    val _ = add(path, "'y', 'id * 3'", same)
    assert(rows(load(path).select("id", "y")) == (0L until 30L).map(i => Row(i, i * 3)).toSet)
    assert(jobs(path).isEmpty)
  }

  test("finished fragments of a job do not count where values depend on the session") {
    val path = table(3)
    val value = "if(current_schema() = \"default\", id * 2 + 0 * (1 div (id - 25)), id * 3)"
    sql("CREATE NAMESPACE spark_catalog.other")
    try
      withSetting("spark.sql.files.minPartitionNum", "3") {
        val _ = intercept[Exception](add(path, s"'y', '$value'"))
        eventually(assert(jobs(path).nonEmpty))
        sql("USE spark_catalog.other")
        val _ = add(path, s"'y', '$value'")
      }
    finally {
      sql("USE spark_catalog.default")
      val _ = sql("DROP NAMESPACE spark_catalog.other")
    }
    assert(rows(load(path).select("id", "y")) == (0L until 30L).map(i => Row(i, i * 3)).toSet)
  }

  test("a task that is killed runs again, and its first attempt leaves nothing") {
    val path = table(4)
    val killer = new SparkListener {
      override def onTaskStart(start: SparkListenerTaskStart): Unit =
        if (start.taskInfo.attemptNumber == 0) {
          val _ = Future {
            // Its last fragment is begun, and those before are finished and noted.
            while (!BackfillTables.waits.get) Thread.sleep(10)
            spark.sparkContext.killTaskAttempt(start.taskInfo.taskId, interruptThread = true, "a test")
          }
        }
    }
    spark.sparkContext.addSparkListener(killer)
    try
      write(
        load(path).select(col("_rowaddr"), udf(BackfillTables.stuck).apply(col("id")).as("y")),
        path,
        "add"
      )
    finally spark.sparkContext.removeSparkListener(killer)
    assert(load(path).where("y = id").count() == 40)
    eventually(assert(names(path) == dataset(path).fragments.flatMap(_.files).map(_.path).toSet))
    assert(jobs(path).isEmpty)
  }

  test("of two attempts of one task only the one whose message arrives counts") {
    val path = table(1)
    val place = StoreOptions.locate(path)
    val opened = Dataset.open(place.store, place.root)
    val fields = opened.schema.fields.take(1)
    val values = new ReplacedColumns(opened, LanceSchema(fields))
    val options = LanceOptions.forWrite(CaseInsensitiveStringMap.empty)
    val job = new BackfillJob(place, values, JobFolder.of(values, "two"), options, Statement("ADD COLUMNS"))
    val brought = new StructType().add("_rowaddr", LongType).add("id", LongType)
    val write = job.batch(new LogicalWriteInfo {
      override def options(): CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty
      override def queryId(): String = "q"
      override def schema(): StructType = brought
    })
    def attempt(id: Long): DataWriter[InternalRow] = {
      val writer = write.createBatchWriterFactory(null).createWriter(0, id)
      (0L until 10L).foreach(i => writer.write(InternalRow(i, i + 100)))
      writer
    }
    val (lost, slow, winner) = (attempt(1), attempt(2), attempt(3))
    val _ = lost.commit()
    val message = winner.commit().asInstanceOf[BackfillMessage]
    slow.abort()
    write.commit(Array(message.copy(isRepeated = true)))
    assert(rows(load(path).select("id")) == (100L until 110L).map(Row(_)).toSet)
    assert(names(path).size == 2 && jobs(path).isEmpty)
  }
}
