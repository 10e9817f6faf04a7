package io.sparklance.namespace

import io.sparklance.LanceException

/** What there is of a name of a table. */
sealed trait FoundTable

object FoundTable {

  /** A table with a version.
    *
    * @param place its directory
    */
  final case class Made(place: String) extends FoundTable

  /** A name that somebody has taken, without a version: what was to be written has not come, or is gone. */
  final case class Declared(place: String) extends FoundTable

  /** A name of which nothing can be used.
    *
    * @param failure what statements that need the table are told
    */
  final case class Unusable(failure: LanceException) extends FoundTable
}
