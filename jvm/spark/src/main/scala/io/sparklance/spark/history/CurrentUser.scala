package io.sparklance.spark.history

import org.apache.spark.sql.SparkSession

/** The user on whose behalf the driver commits. */
private[spark] object CurrentUser {

  /** The tag that Spark Connect gives to the jobs of a client's statement. */
  private val ConnectTag = "SparkConnect_OperationTag_User_(.+)_Session_.+_Operation_.+".r

  /** A client's user over Spark Connect, the application's elsewhere. */
  def name: String = {
    val context = SparkSession.active.sparkContext
    context.getJobTags().collectFirst { case ConnectTag(user) => user }.getOrElse(context.sparkUser)
  }
}
