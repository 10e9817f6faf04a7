package io.sparklance.spark.write

import org.apache.spark.sql.connector.write.RowLevelOperation.Command

/** Counts of the rows that a statement changed. */
final private[spark] case class RowCounts(inserted: Long, updated: Long, deleted: Long) {

  /** Properties that the transaction of such a statement keeps. */
  def properties(command: Command): Map[String, String] = Map(
    "sparklance.command" -> command.name,
    "sparklance.rowsUpdated" -> updated.toString,
    "sparklance.rowsDeleted" -> deleted.toString
  ) ++ RowCounts.inserted(inserted)
}

private[spark] object RowCounts {

  /** The property of a statement that only adds rows. */
  def inserted(rows: Long): Map[String, String] = Map("sparklance.rowsInserted" -> rows.toString)
}
