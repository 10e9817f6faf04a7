package io.sparklance.spark.read

import java.nio.file.Path
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicBoolean

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd, SparkListenerTaskStart}
import org.apache.spark.sql.DataFrame
import org.apache.spark.{TaskEndReason, TaskKilled}
import org.scalatest.Assertion
import org.scalatest.tags.Slow

import io.sparklance.io.IoScheduler
import io.sparklance.spark.SparkSuite

/** However a scan of a store ends that is read ahead, by other threads: no stream of it stays open, and no
  * thread.
  */
@Slow
class ScanLeaksSuite extends SparkSuite {
  private val Rows = 120000L

  private lazy val root: String = {
    val path = freshPath()
    spark.range(0, Rows, 1, 2).selectExpr("id", "repeat(cast(id AS string), 9) AS s")
      .write.format("lance").option("maxRowsPerFile", 20000).save(path)
    path
  }

  private def read: DataFrame =
    spark.read.format("lance").option("splitRows", 30000).load(s"counted://disk$root")

  /** With a store that takes a while, so that what interrupts a scan finds it reading. */
  private def onDisk[A](delayMillis: Long)(body: => A): A =
    withSetting("fs.counted.impl", classOf[CountedDisk].getName) {
      CountedDisk.delayMillis = delayMillis
      try body
      finally {
        CountedDisk.delayMillis = 0
        CountedDisk.broken = ""
      }
    }

  private def assertClosed(): Assertion = {
    assert(CountedDisk.opened.get > 0)
    eventually(assert(CountedDisk.open.get == 0 && IoScheduler.shared.requests("counted://disk") == 0))
  }

  /** A query that takes a while over each of its rows. */
  private def slowly(read: DataFrame): Long = read.rdd.map { row => Thread.sleep(1); row.getLong(0) }.count()

  test("scans that come to their end, or need no more rows") {
    onDisk(delayMillis = 0) {
      assert(read.selectExpr("sum(length(s))").head().getLong(0) > Rows)
      assert(read.limit(3).collect().length == 3 && read.where("id % 1000 = 7").head(2).length == 2)
      assert(read.orderBy("id").limit(5).collect().map(_.getLong(0)).toSeq == (0L until 5L))
      assert(read.rdd.mapPartitions(_.take(1)).count() > 1)
      assertClosed()
    }
  }

  test("a job that is cancelled while tasks read") {
    onDisk(delayMillis = 20) {
      val context = spark.sparkContext
      @volatile var outcome = Option.empty[Try[Long]]
      val job = new Thread(() => {
        context.setJobGroup("cancelled scan", "to be cancelled", interruptOnCancel = true)
        outcome = Some(Try(slowly(read)))
      })
      job.start()
      // Planning opens streams, too, and a job that has not begun is not cancelled.
      eventually(assert(context.statusTracker.getJobIdsForGroup("cancelled scan").nonEmpty))
      eventually(assert(CountedDisk.open.get > 0))
      context.cancelJobGroup("cancelled scan")
      job.join()
      assert(outcome.exists(_.isFailure))
      assertClosed()
    }
  }

  test("a task that is killed while it reads") {
    onDisk(delayMillis = 50) {
      val expected = read.selectExpr("sum(length(s))").head()
      val ends = new ConcurrentLinkedQueue[TaskEndReason]
      val listener = new SparkListener {
        private val isFirst = new AtomicBoolean(true)
        override def onTaskStart(start: SparkListenerTaskStart): Unit = if (isFirst.getAndSet(false)) {
          eventually(assert(CountedDisk.open.get > 0))
          val _ = spark.sparkContext.killTaskAttempt(start.taskInfo.taskId, interruptThread = true, "a test")
        }
        override def onTaskEnd(end: SparkListenerTaskEnd): Unit = {
          val _ = ends.add(end.reason)
        }
      }
      spark.sparkContext.addSparkListener(listener)
      try {
        assert(read.selectExpr("sum(length(s))").head() == expected)
        eventually(assert(ends.asScala.exists(_.isInstanceOf[TaskKilled])))
      } finally spark.sparkContext.removeSparkListener(listener)
      assertClosed()
    }
  }

  test("a file that cannot be read, among others that can") {
    onDisk(delayMillis = 1) {
      val expected = read.selectExpr("sum(length(s))").head()
      CountedDisk.broken = Path.of(dataFiles(root).max).getFileName.toString
      // What is known of the file's end is not asked for again, but its values are.
      val failed = Try(read.selectExpr("sum(length(s))").head()).failed.get
      val reasons = Iterator.iterate(failed)(_.getCause).takeWhile(_ != null).map(_.getMessage).toVector
      assert(reasons.exists(r => r != null && r.contains("the disk is broken at")), reasons)
      assertClosed()
      CountedDisk.broken = ""
      assert(read.selectExpr("sum(length(s))").head() == expected)
      assertClosed()
    }
  }

  test("the threads that read have ended when there is nothing to do") {
    eventually {
      val threads = Thread.getAllStackTraces.keySet.asScala.map(_.getName).filter(_.startsWith("sparklance"))
      assert(threads.isEmpty)
    }
  }
}
