package io.sparklance.spark.history

import org.apache.spark.sql.SparkSession

/** The user on whose behalf the driver commits. */
private[spark] object CurrentUser {

  /** Tag that Spark Connect sets on the jobs of a client's statement. */
  private val ConnectTag = "SparkConnect_OperationTag_User_(.+)_Session_.+_Operation_.+".r

  /** Name of the client's user over Spark Connect, or of the application's user. */
  def name: String = {
    val context = SparkSession.active.sparkContext
    context.getJobTags().collectFirst { case ConnectTag(user) => user }.getOrElse(context.sparkUser)
  }
}
