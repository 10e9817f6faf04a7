package io.sparklance.spark.write

import org.apache.spark.sql.connector.write.WriterCommitMessage

/** A commit message with the number of its rows. */
private[spark] trait CountedMessage extends WriterCommitMessage {
  def rows: Long
}
