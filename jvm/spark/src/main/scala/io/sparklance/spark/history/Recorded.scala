package io.sparklance.spark.history

/** Properties of a transaction that record its statement. */
private[spark] object Recorded {

  /** Prefix of our properties, which users cannot set. */
  val Prefix = "sparklance."

  val Command: String = Prefix + "command"
  val User: String = Prefix + "user"
  val Parameter: String = Prefix + "parameter."

  val RowsInserted: String = Prefix + "rowsInserted"
  val RowsUpdated: String = Prefix + "rowsUpdated"
  val RowsDeleted: String = Prefix + "rowsDeleted"
  val FilesAdded: String = Prefix + "filesAdded"
  val BytesAdded: String = Prefix + "bytesAdded"
  val FilesRemoved: String = Prefix + "filesRemoved"
  val BytesRemoved: String = Prefix + "bytesRemoved"
}
