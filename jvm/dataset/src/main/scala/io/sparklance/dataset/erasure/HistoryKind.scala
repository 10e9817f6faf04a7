package io.sparklance.dataset.erasure

/** The owner of the versions of a history. */
sealed private[sparklance] trait HistoryKind extends Product with Serializable

private[sparklance] object HistoryKind {

  /** The table or branch from which rows are erased. */
  case object Own extends HistoryKind

  /** Another branch, which may be the main one. */
  case object Branch extends HistoryKind

  /** A shallow clone. */
  case object Clone extends HistoryKind
}
