package io.sparklance.namespace

/** Location of a table.
  *
  * @param root
  *   path or URI of its directory
  * @param storage
  *   options for its store that a server gave, by the reference's names; they may be secrets
  * @param properties
  *   properties that a server keeps
  * @param hasVersions
  *   whether commits go through the server
  */
final private[sparklance] case class PlacedTable(
    root: String,
    storage: Map[String, String] = Map.empty,
    properties: Map[String, String] = Map.empty,
    hasVersions: Boolean = false
) {
  override def toString: String = root
}
