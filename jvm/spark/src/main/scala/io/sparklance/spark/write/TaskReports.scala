package io.sparklance.spark.write

import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.write.{PhysicalWriteInfo, WriterCommitMessage}
import org.apache.spark.util.{CollectionAccumulator, LongAccumulator}

import io.sparklance.LanceUsageException
import io.sparklance.spark.session.AddedJar

/** Sends the messages of a write's tasks to the driver, with the number of rows that Spark gave to the tasks.
  * Both must agree before the commit, so that no message is lost.
  *
  * @param tasks
  *   expected number of messages, if known
  * @param rows
  *   counts the rows that tasks received; None if Spark does not merge accumulators before the commit
  * @param bytes
  *   carries the messages, in place of Spark's own, for a jar that was added to the session
  */
final private[spark] class TaskReports private (
    tasks: Option[Int],
    rows: Option[LongAccumulator],
    bytes: Option[CollectionAccumulator[Array[Byte]]]
) extends Serializable {

  /** Sends a task's message. Returns the message for Spark. */
  def send(message: CountedMessage, received: Long): WriterCommitMessage = {
    rows.foreach(_.add(received))
    bytes.fold[WriterCommitMessage](message) { all =>
      all.add(TaskBytes.of(message))
      null
    }
  }

  /** Returns the messages of all tasks, or fails. */
  def receive[M <: CountedMessage: ClassTag](messages: Array[WriterCommitMessage]): Vector[M] = {
    tasks.filter(_ != messages.length).foreach { count =>
      throw TaskReports.lost(s"$count tasks returned ${messages.length} commit messages")
    }
    val all = bytes.fold(messages.toVector.map(TaskReports.ours[M]))(carried(messages.length, _))
    val (received, carries) = (rows.map(_.sum), all.map(_.rows).sum)
    received.filter(_ != carries).foreach { count =>
      throw TaskReports.lost(s"Tasks received $count rows, but their commit messages carry $carries")
    }
    all
  }

  private def carried[M: ClassTag](tasks: Int, sent: CollectionAccumulator[Array[Byte]]): Vector[M] = {
    val all = sent.value.asScala.toVector
    if (all.size != tasks) throw TaskReports.lost(s"$tasks tasks sent ${all.size} commit messages")
    all.map(TaskBytes.read[M](_))
  }
}

private[spark] object TaskReports {

  /** Reports for use before any task exists. */
  val none: TaskReports = new TaskReports(None, None, None)

  /** Reports of a job. */
  def of(job: PhysicalWriteInfo): TaskReports = {
    val context = SparkSession.active.sparkContext
    val bytes = Option.when(AddedJar.isThis)(new CollectionAccumulator[Array[Byte]])
    bytes.foreach(context.register)
    val rows = new LongAccumulator
    context.register(rows)
    new TaskReports(Option(job).map(_.numPartitions), Some(rows), bytes)
  }

  /** Reports of a query whose tasks run on after a commit, so that only messages reach the driver. */
  def ofEndlessTasks(): TaskReports = {
    if (AddedJar.isThis) throw new LanceUsageException(
      "A continuous streaming query cannot write with a sparklance jar that was added to the running session. Start Spark with the " +
        "jar in spark.jars or --jars, or take another trigger."
    )
    none
  }

  private def ours[M: ClassTag](message: WriterCommitMessage): M = message match {
    case ours: M => ours
    case null => throw lost("A task returned no commit message")
    case other => throw lost(
        s"A task returned a commit message of ${other.getClass.getName}, loaded by ${other.getClass.getClassLoader}, which is not this " +
          s"connector's ${implicitly[ClassTag[M]].runtimeClass.getName}, loaded by ${getClass.getClassLoader}"
      )
  }

  private def lost(what: String) = new LanceUsageException(s"$what. ${TaskBytes.OneJar}")
}
