package io.sparklance.spark.read

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}

import io.sparklance.io.IoStats

/** What Spark's UI shows of a scan. Spark makes objects of these classes by itself, from their names. */
final class BytesRead extends CustomSumMetric {
  override def name(): String = "bytesRead"
  override def description(): String = "bytes read"
}

final class ReadRequests extends CustomSumMetric {
  override def name(): String = "readRequests"
  override def description(): String = "reads"
}

final class ReadMillis extends CustomSumMetric {
  override def name(): String = "readMillis"
  override def description(): String = "ms waiting for reads"
}

final class DecodeMillis extends CustomSumMetric {
  override def name(): String = "decodeMillis"
  override def description(): String = "ms decoding"
}

final class Batches extends CustomSumMetric {
  override def name(): String = "batches"
  override def description(): String = "batches"
}

final class Splits extends CustomSumMetric {
  override def name(): String = "splits"
  override def description(): String = "splits"
}

final class FragmentsRead extends CustomSumMetric {
  override def name(): String = "fragmentsRead"
  override def description(): String = "fragments read"
}

final class FragmentsSkipped extends CustomSumMetric {
  override def name(): String = "fragmentsSkipped"
  override def description(): String = "fragments skipped"
}

private object ReadMetrics {
  def all: Array[CustomMetric] = Array(
    new BytesRead,
    new ReadRequests,
    new ReadMillis,
    new DecodeMillis,
    new Batches,
    new Splits,
    new FragmentsRead,
    new FragmentsSkipped
  )

  def ofTask(io: IoStats, batches: Long, nanos: Long): Array[CustomTaskMetric] = Array(
    TaskMetric("bytesRead", io.bytes),
    TaskMetric("readRequests", io.requests),
    TaskMetric("readMillis", io.waitNanos / NanosPerMilli),
    TaskMetric("decodeMillis", (nanos - io.waitNanos) / NanosPerMilli),
    TaskMetric("batches", batches)
  )

  def ofPlan(splits: Int, fragments: Int, skipped: Int): Array[CustomTaskMetric] = Array(
    TaskMetric("splits", splits.toLong),
    TaskMetric("fragmentsRead", fragments.toLong),
    TaskMetric("fragmentsSkipped", skipped.toLong)
  )

  private val NanosPerMilli = 1000000L
}

final private case class TaskMetric(name: String, value: Long) extends CustomTaskMetric
