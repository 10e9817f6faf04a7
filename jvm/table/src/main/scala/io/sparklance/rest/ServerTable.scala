package io.sparklance.rest

/** A server's description of a table.
  *
  * @param location
  *   path or URI of its directory
  * @param storage
  *   options for the store, by the reference's names; they may be secrets
  * @param properties
  *   properties that the server keeps
  * @param hasVersions
  *   whether commits go through the server
  * @param isDeclared
  *   whether the table has a name and no version yet, if the server looked
  */
final private[sparklance] case class ServerTable(
    location: String,
    storage: Map[String, String],
    properties: Map[String, String],
    hasVersions: Boolean,
    isDeclared: Option[Boolean]
) {
  override def toString: String = s"ServerTable($location)"
}

/** A version that a server records.
  *
  * @param path
  *   of its manifest, within the store
  * @param size
  *   of the manifest in bytes
  */
final private[sparklance] case class ServerVersion(number: Long, path: String, size: Option[Long])
