package io.sparklance.io

/** The way in which a store lists a directory. */
sealed trait Listing

object Listing {

  /** Names that a store returns for one request. */
  final val Page = 1000

  /** All names at once, in any order. */
  case object Whole extends Listing

  /** Pages of names, ordered by their bytes. */
  case object Ordered extends Listing
}
