package io.sparklance.table.transaction

/** What one commit does, as data: how it changes a manifest and with what it conflicts are functions of it.
  *
  * @param readVersion the version its writer started from; 0 when it creates the table
  * @param uuid tells two commits apart, so that a writer can see whether a version is its own
  * @param tag normally empty
  */
final case class Transaction(
    readVersion: Long,
    uuid: String,
    operation: Operation,
    tag: String = "",
    properties: Map[String, String] = Map.empty
) {

  /** Name of its file in the transactions directory. */
  def fileName: String = s"${java.lang.Long.toUnsignedString(readVersion)}-$uuid.txn"
}
