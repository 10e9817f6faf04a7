package io.sparklance.table.transaction

/** Whether a transaction is still valid after another was committed first. */
sealed private[sparklance] trait Verdict {

  /** Returns `other` if this is no conflict. */
  def and(other: => Verdict): Verdict = this match {
    case Verdict.Compatible => other
    case _: Verdict.Retryable | _: Verdict.Incompatible => this
  }
}

private[sparklance] object Verdict {

  /** The transaction can be rebased on the other's version. */
  case object Compatible extends Verdict

  /** The statement may succeed if it runs again on the other's version.
    *
    * @param reason
    *   completes "... because"
    */
  final case class Retryable(reason: String) extends Verdict

  /** The two exclude each other; the user has to decide. */
  final case class Incompatible(reason: String) extends Verdict

  def retryableIf(condition: Boolean, reason: => String): Verdict =
    if (condition) Retryable(reason) else Compatible

  def incompatibleIf(condition: Boolean, reason: => String): Verdict =
    if (condition) Incompatible(reason) else Compatible
}
