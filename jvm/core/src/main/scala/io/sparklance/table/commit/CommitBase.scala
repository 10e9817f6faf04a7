package io.sparklance.table.commit

/** What a transaction may be built on. */
sealed trait CommitBase

object CommitBase {

  /** The latest version, if it goes together with all that was committed since the one that was read. */
  case object Latest extends CommitBase

  /** Only the version that was read: for what looks at all rows, and may change any. */
  case object AsRead extends CommitBase
}
