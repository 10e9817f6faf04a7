package io.sparklance.spark.maintenance

import scala.collection.mutable

import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart, SparkListenerTaskEnd}
import org.apache.spark.sql.Row

import io.sparklance.spark.SparkSuite

class CompactionJobSuite extends SparkSuite {

  /** A table of some fragments of ten rows each. */
  private def table(fragments: Int): String = {
    val path = freshPath()
    (0 until fragments).foreach { i =>
      spark.range(10L * i, 10L * i + 10).coalesce(1).write.format("lance").mode("append").save(path)
    }
    path
  }

  private def compact(path: String, options: String = ""): Row =
    sql(s"CALL lance.system.compact(table => '$path'$options)").collect().head

  private def fragments(path: String): Long = sql(s"CALL lance.system.fragments('$path')").count()

  private def ids(path: String): Seq[Long] = load(path).collect().map(_.getLong(0)).toSeq

  test("each group is a task of one job, which shows its purpose and progress") {
    val path = table(6)
    val (jobs, rows) = (mutable.Buffer.empty[String], mutable.Buffer.empty[Any])
    val listener = new SparkListener {
      override def onJobStart(job: SparkListenerJobStart): Unit =
        Option(job.properties.getProperty("spark.job.description")).foreach(jobs += _)
      override def onTaskEnd(task: SparkListenerTaskEnd): Unit =
        rows ++= task.taskInfo.accumulables.filter(_.name.contains("rows compacted")).flatMap(_.update)
    }
    val context = spark.sparkContext
    context.addSparkListener(listener)
    try {
      val done = compact(path, ", target_rows_per_fragment => 20")
      assert((done.getLong(1), done.getLong(2), done.getLong(3), done.getLong(4)) == ((6, 3, 6, 3)))
      assert(context.getLocalProperty("spark.job.description") == null)
      eventually(assert(rows.size == 3))
    } finally context.removeSparkListener(listener)
    assert(jobs.count(_.matches("lance .* version 6, compact 3 groups of fragments")) == 1)
    assert(rows.map(_.toString.toLong) == Seq(20, 20, 20))
    assert(fragments(path) == 3 && ids(path) == (0L until 60L))
  }

  test("a table without anything to do stays at its version") {
    val path = table(2)
    val version = compact(path).getLong(0)
    assert(compact(path) == Row(version, 0, 0, 0, 0))
  }

  test("rows that are deleted while their fragments are rewritten stay deleted") {
    val path = table(4)
    val before = sql(s"CALL lance.system.versions('$path')").count()
    sql(s"DELETE FROM lance.`$path` WHERE id IN (3, 17)")
    compact(path)
    assert(ids(path) == (0L until 40L).filterNot(Set(3L, 17L)) && before == 4)
  }

  test("a task that fails ends the compaction, and leaves no file") {
    val path = table(3)
    val data = new java.io.File(path, "data")
    val victim = data.listFiles.minBy(_.getName)
    val bytes = java.nio.file.Files.readAllBytes(victim.toPath)
    val _ = java.nio.file.Files.write(victim.toPath, bytes.map(_ => 0.toByte))
    val e = intercept[Exception](compact(path))
    assert(e.toString.contains("LANCE_CORRUPT_DATA"))
    assert(data.list.length == 3 && fragments(path) == 3)
  }

  test("cleanup follows its arguments, and shows what it removed or would remove") {
    val path = table(4)
    def cleanup(options: String) = sql(s"CALL lance.system.cleanup(table => '$path'$options)").collect().head
    assert(cleanup("").getLong(1) == 0)
    assert(cleanup(", older_than => '0s', retain_versions => 3, dry_run => true").getLong(1) == 1)
    assert(cleanup(", older_than => '0s', retain_versions => 3").getLong(1) == 1)
    assert(cleanup(", versions => ARRAY(2, 3)").getLong(1) == 2)
    assert(refusal(cleanup(", older_than => 'soon'")).contains("'soon' is not an age of versions"))
    assert(refusal(cleanup(", retain_versions => 0")).contains("Retain 1 or more"))
    assert(ids(path) == (0L until 40L))
  }
}
