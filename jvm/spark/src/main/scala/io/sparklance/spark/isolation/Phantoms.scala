package io.sparklance.spark.isolation

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.{Column, DataFrame}

import io.sparklance.dataset.predicate.Predicate
import io.sparklance.spark.options.{CommitOptions, Isolation}
import io.sparklance.spark.session.SqlNames

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

/** A column of the table whose values a MERGE compares with its source.
  *
  * @param path
  *   names, from the top-level column down
  * @param nullsMatch
  *   whether two NULLs are equal, as by `<=>`
  */
final private[spark] case class ComparedColumn(path: Vector[String], nullsMatch: Boolean) {

  /** Name with its parts quoted where they need it. */
  def quoted: String = path.map(SqlNames.quoted).mkString(".")

  /** Returns the column of some rows. */
  def in(rows: DataFrame): Column = rows.col(quoted)
}

/** The rows of its own table that a statement has read.
  *
  * @param command
  *   name of the statement
  * @param byDefault
  *   its level, unless the table or the session sets one
  */
final private[spark] case class StatementReads(command: String, phantoms: Phantoms, byDefault: Isolation) {
  def isSerializable(options: CommitOptions): Boolean =
    options.isolation.getOrElse(byDefault) == Isolation.Serializable
}
