package io.sparklance.spark.session

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession

private[spark] object JobDescription {
  private val Key = "spark.job.description"

  /** Runs `body` with this description for its jobs in Spark's UI, and restores the previous one. */
  def during[A](context: SparkContext, text: String)(body: => A): A = {
    val before = context.getLocalProperty(Key)
    context.setJobDescription(text)
    try body
    finally context.setLocalProperty(Key, before)
  }
}

/** The description of a job that Spark runs between two calls of the connector, unless the user has set one.
  *
  * @param text
  *   operation, table and version
  */
final private[spark] class JobDescription(text: String) {
  import JobDescription.Key

  /** Describes the jobs of the current thread from now on. */
  def begin(): Unit = {
    val context = SparkSession.active.sparkContext
    if (context.getLocalProperty(Key) == null) context.setJobDescription(text)
  }

  /** Ends the description that [[begin]] set. */
  def end(): Unit = {
    val context = SparkSession.active.sparkContext
    if (context.getLocalProperty(Key) == text) context.setJobDescription(null)
  }
}
