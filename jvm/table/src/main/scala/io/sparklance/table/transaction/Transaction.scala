package io.sparklance.table.transaction

/** A commit as data. Its effect on a manifest and its conflicts are functions of it.
  *
  * @param readVersion
  *   version that its writer read; 0 if it creates the table
  * @param uuid
  *   unique id, by which a writer recognises its own version
  * @param tag
  *   normally empty
  */
final private[sparklance] case class Transaction(
    readVersion: Long,
    uuid: String,
    operation: Operation,
    tag: String = "",
    properties: Map[String, String] = Map.empty
) {

  /** File name in the transactions directory. */
  def fileName: String = s"${java.lang.Long.toUnsignedString(readVersion)}-$uuid.txn"
}
