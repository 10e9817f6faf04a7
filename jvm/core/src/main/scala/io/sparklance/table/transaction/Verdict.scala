package io.sparklance.table.transaction

/** Whether a transaction still holds when another came first. */
sealed trait Verdict {

  /** The other one, if this says that there is no conflict. */
  def and(other: => Verdict): Verdict = this match {
    case Verdict.Compatible => other
    case _: Verdict.Retryable | _: Verdict.Incompatible => this
  }
}

object Verdict {

  /** Built anew on the other's version, the transaction means the same. */
  case object Compatible extends Verdict

  /** Not as it is; but the same, done again on the other's version, may stand.
    *
    * @param reason completes "... because"
    */
  final case class Retryable(reason: String) extends Verdict

  /** The two cannot both stand; the user decides what is to be done. */
  final case class Incompatible(reason: String) extends Verdict

  def retryableIf(condition: Boolean, reason: => String): Verdict =
    if (condition) Retryable(reason) else Compatible

  def incompatibleIf(condition: Boolean, reason: => String): Verdict =
    if (condition) Incompatible(reason) else Compatible
}
