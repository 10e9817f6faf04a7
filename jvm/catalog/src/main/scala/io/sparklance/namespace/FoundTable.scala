package io.sparklance.namespace

import io.sparklance.LanceException

/** Result of looking up a table's name. */
sealed private[sparklance] trait FoundTable

private[sparklance] object FoundTable {

  /** A table with a version. */
  final case class Made(place: PlacedTable) extends FoundTable

  /** A reserved name without a version: the table was not written yet, or was deleted. */
  final case class Declared(place: PlacedTable) extends FoundTable

  /** A name with an invalid entry.
    *
    * @param failure
    *   the error for statements that need the table
    */
  final case class Unusable(failure: LanceException) extends FoundTable
}
