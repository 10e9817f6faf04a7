package io.sparklance.spark.isolation

import org.apache.spark.sql.catalyst.expressions.Expression

import io.sparklance.dataset.predicate.Predicate

/** Rows that, had they been in the table when a statement read it, would have changed what it did. */
sealed private[spark] trait Phantoms

private[spark] object Phantoms {

  /** Every row that others add. */
  case object Added extends Phantoms

  /** Every row that others add, change or delete. */
  case object Changed extends Phantoms

  /** Added rows with the key of a row that the statement inserts.
    *
    * @param keys
    *   at least one
    * @param andOthers
    *   whether it acts on all other added rows, too
    */
  final case class SameKey(keys: Vector[ComparedColumn], andOthers: Boolean = false) extends Phantoms

  /** Added rows that satisfy a condition, which Spark evaluates.
    *
    * @param condition
    *   with unresolved columns
    */
  final case class Matching(condition: Expression) extends Phantoms

  /** Added rows that satisfy a predicate on stored values. */
  final case class Satisfying(predicate: Predicate) extends Phantoms
}
