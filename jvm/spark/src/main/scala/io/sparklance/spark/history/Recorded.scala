package io.sparklance.spark.history

/** The properties of a transaction that record the statement which made it. */
private[spark] object Recorded {

  /** Begins the names of all properties that are ours; users may set none of them. */
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
