package io.sparklance.spark.write

import java.lang.management.ManagementFactory
import java.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.connector.write.{BatchWrite, LogicalWriteInfo}
import org.apache.spark.sql.types.{ArrayType, BinaryType, DataType, StringType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.tags.Slow

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite
import io.sparklance.spark.options.StoreOptions
import io.sparklance.spark.table.WritableLanceTable

/** A large value is copied twice at most on its way from Spark's row to the file. */
@Slow
final class LargeValuesSuite extends SparkSuite {
  private val Size = 48 << 20

  /** Buffers of other columns and pages, and small objects. */
  private val Slack = 24L << 20

  private lazy val random = {
    val bytes = new Array[Byte](Size)
    new Random(7).nextBytes(bytes)
    bytes
  }
  private lazy val letters = Array.fill(Size)('b'.toByte)

  private def batch(version: String, kind: DataType): BatchWrite = {
    val path = freshPath()
    val columns = new StructType().add("value", kind)
    spark.createDataFrame(new java.util.ArrayList[org.apache.spark.sql.Row], columns)
      .write.format("lance").option("dataStorageVersion", version).save(path)
    val location = StoreOptions.locate(path)
    new WritableLanceTable("t", location, Dataset.open(LocalStore, location.root)).newWriteBuilder(
      new LogicalWriteInfo {
        override def options(): CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty
        override def queryId(): String = "q"
        override def schema(): StructType = columns
      }
    ).build().toBatch
  }

  /** Bytes that the thread allocates to write the rows, whose making does not count. */
  private def allocated(version: String, kind: DataType, values: Any*): Long = {
    val projection = UnsafeProjection.create(new StructType().add("value", kind))
    val rows = values.map(value => projection(InternalRow(value)).copy())
    val job = batch(version, kind)
    val task = job.createBatchWriterFactory(null).createWriter(0, 1)
    val threads = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]
    val id = Thread.currentThread.getId
    val before = threads.getThreadAllocatedBytes(id)
    rows.foreach(task.write)
    val message = task.commit().asInstanceOf[LanceCommitMessage]
    val after = threads.getThreadAllocatedBytes(id)
    assert(message.rows == values.size)
    job.abort(Array(message))
    after - before
  }

  private def text(bytes: Array[Byte]): UTF8String = UTF8String.fromBytes(bytes)

  for (version <- Seq("2.0", "2.1", "2.2")) {
    test(s"a value alone in its page, in version $version") {
      assert(allocated(version, BinaryType, letters) <= 2L * Size + Slack)
      assert(allocated(version, BinaryType, random) <= 2L * Size + Slack)
      assert(allocated(version, StringType, text(letters)) <= 2L * Size + Slack)
    }

    test(s"a value among small ones, in version $version") {
      val small = "a".getBytes
      assert(allocated(version, BinaryType, small, random, small) <= 2L * Size + Slack)
      assert(allocated(version, BinaryType, small, letters, small) <= 2L * Size + Slack)
      assert(allocated(version, StringType, text(small), text(letters), null) <= 2L * Size + Slack)
    }

    test(s"a value in a list, in version $version") {
      val list = new GenericArrayData(Array[Any](random))
      assert(allocated(version, ArrayType(BinaryType), list) <= 2L * Size + Slack)
    }
  }
}
