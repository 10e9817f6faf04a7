package io.sparklance.spark.write

/** Counts of the rows that a statement changed. */
final private[spark] case class RowCounts(inserted: Long, updated: Long, deleted: Long)
