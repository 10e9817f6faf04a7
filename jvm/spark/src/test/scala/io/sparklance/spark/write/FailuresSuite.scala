package io.sparklance.spark.write

import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.Future
import scala.util.Try

import org.apache.spark.TaskContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskStart}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.{DataWriter, LogicalWriteInfo}
import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{DataFrame, Row}

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite
import io.sparklance.spark.options.StoreOptions
import io.sparklance.spark.table.WritableLanceTable

/** Whatever fails: no version or a whole one, and no file that belongs to none. */
final class FailuresSuite extends SparkSuite {

  /** Rows of which the last, in a task's first attempt, lets others wait for an hour. */
  private def stuck(rows: Long): DataFrame = {
    val session = spark
    import session.implicits._
    spark.range(0, rows, 1, 1).as[Long].map { i =>
      if (i == rows - 1 && TaskContext.get().attemptNumber() == 0) Thread.sleep(3600 * 1000L)
      i
    }.toDF("id")
  }

  private def append(frame: DataFrame, path: String): Unit =
    frame.write.format("lance").mode("append").option("maxRowsPerFile", 10).save(path)

  private def table(): String = {
    val path = freshPath()
    spark.range(0, 5, 1, 1).toDF("id").write.format("lance").save(path)
    path
  }

  test("a task that is killed runs again, and its first attempt leaves nothing") {
    val path = table()
    val killer = new SparkListener {
      override def onTaskStart(start: SparkListenerTaskStart): Unit =
        if (start.taskInfo.attemptNumber == 0) {
          val _ = Future {
            Thread.sleep(1500)
            spark.sparkContext.killTaskAttempt(start.taskInfo.taskId, interruptThread = true, "a test")
          }
        }
    }
    spark.sparkContext.addSparkListener(killer)
    try append(stuck(100), path)
    finally spark.sparkContext.removeSparkListener(killer)
    assert(load(path).count() == 105)
    eventually(assert(dataFiles(path).size == 11))
  }

  test("a job that is cancelled leaves no version and no file") {
    val path = table()
    val group = "cancelled"
    val cancelled = Future {
      spark.sparkContext.setJobGroup(group, group, interruptOnCancel = true)
      append(stuck(100), path)
    }
    eventually(assert(dataFiles(path).size > 5))
    spark.sparkContext.cancelJobGroup(group)
    eventually(assert(cancelled.value.exists(_.isFailure)))
    eventually(assert(dataFiles(path).size == 1))
    assert(Dataset.open(LocalStore, path).version == 1)
  }

  private def appending: LogicalWriteInfo = new LogicalWriteInfo {
    override def options(): CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty
    override def queryId(): String = "q"
    override def schema(): StructType = new StructType().add("id", LongType)
  }

  private def batchOn(path: String): LanceBatchWrite = {
    val location = StoreOptions.locate(path)
    val opened = new WritableLanceTable("t", location, Dataset.open(LocalStore, location.root))
    opened.newWriteBuilder(appending).build().toBatch.asInstanceOf[LanceBatchWrite]
  }

  private def attempt(write: LanceBatchWrite, id: Long): DataWriter[InternalRow] = {
    val writer = write.createBatchWriterFactory(null).createWriter(0, id)
    (100L until 103L).foreach(i => writer.write(InternalRow(i)))
    writer
  }

  test("of two attempts of one task only the one whose message arrives counts") {
    val path = table()
    val write = batchOn(path)
    val (lost, slow, winner) = (attempt(write, 1), attempt(write, 2), attempt(write, 3))
    // The first finishes and disappears; the second may not commit.
    val _ = lost.commit()
    val message = winner.commit().asInstanceOf[LanceCommitMessage]
    slow.abort()
    write.commit(Array(message.copy(isRepeated = true)))
    assert(rows(load(path)) == (0L until 5L).map(Row(_)).toSet ++ (100L until 103L).map(Row(_)))
    assert(dataFiles(path).size == 2)
  }

  test("files of other writes stay when a write removes those of its lost attempts") {
    val path = table()
    val (write, other) = (batchOn(path), batchOn(path))
    val theirs = attempt(other, 1).commit()
    write.commit(Array(attempt(write, 1).commit().asInstanceOf[LanceCommitMessage].copy(isRepeated = true)))
    other.commit(Array(theirs))
    assert(load(path).count() == 11)
  }

  test("a committed version stays when something after the commit fails") {
    val path = table()
    val write = batchOn(path)
    val message = attempt(write, 1).commit()
    write.commit(Array(message))
    write.abort(Array(message))
    assert(load(path).count() == 8)
  }

  test("files of tasks whose messages do not arrive are removed when the job fails") {
    val path = table()
    val write = batchOn(path)
    val _ = attempt(write, 1).commit()
    write.abort(Array(null))
    assert(dataFiles(path).size == 1)
  }

  test("a disk that is full leaves no version and no file, and the table can be written to") {
    val root = freshPath()
    spark.conf.set("fs.hdfs.impl", classOf[FullDisk].getName)
    spark.conf.set("fs.hdfs.impl.disable.cache", "true")
    try {
      val path = s"hdfs://disk$root"
      spark.range(0, 5, 1, 1).toDF("id").write.format("lance").save(path)
      val failures = Iterator.from(0).takeWhile { calls =>
        FullDisk.calls.set(calls)
        val outcome = Try(append(spark.range(5, 35, 1, 1).toDF("id"), path))
        FullDisk.calls.set(Int.MaxValue)
        assert(outcome.failed.toOption.forall(FullDisk.isCause))
        val versions = Dataset.open(StoreOptions.locate(path).store, path).versions.size
        assert(versions == (if (outcome.isFailure) 1 else 2), s"after $calls writes")
        assert(dataFiles(root).size == (if (outcome.isFailure) 1 else 4), s"after $calls writes")
        outcome.isFailure
      }
      // Of three data files, the transaction and the manifest.
      assert(failures.size >= 5)
    } finally {
      spark.conf.unset("fs.hdfs.impl")
      spark.conf.unset("fs.hdfs.impl.disable.cache")
    }
  }
}
