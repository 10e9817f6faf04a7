package io.sparklance.namespace

/** Location of a table that a statement creates.
  *
  * @param isReserved
  *   whether the catalog reserved the name for this statement
  */
final private[sparklance] case class NewTable(place: PlacedTable, isReserved: Boolean = false)
