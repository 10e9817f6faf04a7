package io.sparklance.table.transaction.operations

import io.sparklance.table.transaction.{Operation, Verdict}

/** Verdicts that several operations share. */
private[operations] object Reasons {

  def replaced: Verdict = Verdict.Incompatible("the table that it was to change was replaced")

  def unknown(winning: Operation.Other): Verdict =
    Verdict.Incompatible(s"nothing is known of what ${winning.name} changes")

  def newSchema: Verdict = Verdict.Retryable("the schema was changed")
}
