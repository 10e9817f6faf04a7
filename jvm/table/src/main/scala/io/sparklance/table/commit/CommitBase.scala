package io.sparklance.table.commit

/** The versions on which a transaction may be built. */
sealed private[sparklance] trait CommitBase

private[sparklance] object CommitBase {

  /** The latest version, if the transaction is compatible with everything committed since the version read.
    */
  case object Latest extends CommitBase

  /** Only the version read, for operations that read all rows and may change any. */
  case object AsRead extends CommitBase
}
