package io.sparklance.spark.session

import org.apache.spark.SparkContext

private[spark] object JobDescription {
  private val Key = "spark.job.description"

  /** Runs `body` with its jobs called so in Spark's UI, and as before afterwards. */
  def during[A](context: SparkContext, text: String)(body: => A): A = {
    val before = context.getLocalProperty(Key)
    context.setJobDescription(text)
    try body
    finally context.setLocalProperty(Key, before)
  }
}
