package io.sparklance.spark.statistics

import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.expressions.{Expression, Literal, NamedReference}

/** Estimates the share of rows that pass filters which Spark no longer sees, by the rules with which Spark
  * estimates its own: values are spread evenly, columns are independent, and a condition that the statistics
  * cannot judge keeps all rows.
  */
final private[spark] class FilterSelectivity(columns: Map[String, KnownColumn]) {
  import FilterSelectivity._

  def of(predicate: Predicate): Double = {
    val share = (predicate.name, predicate.children.toVector) match {
      case ("AND", Vector(a: Predicate, b: Predicate)) => of(a) * of(b)
      case ("OR", Vector(a: Predicate, b: Predicate)) => of(a) + of(b) - of(a) * of(b)
      case ("NOT", Vector(a: Predicate)) => if (isJudged(a)) 1 - of(a) else All
      case ("ALWAYS_FALSE", _) => 0
      case ("IS_NULL", Vector(Known(column))) => column.nullShare
      case ("IS_NOT_NULL", Vector(Known(column))) => 1 - column.nullShare
      case ("IN", Known(column) +: values) => values.map(equal(column, _)).sum
      case ("=", Vector(Known(column), value)) => equal(column, value)
      case ("=", Vector(value, Known(column))) => equal(column, value)
      case ("<>", Vector(Known(column), value)) => 1 - equal(column, value)
      case ("<" | "<=", Vector(Known(column), Number(value))) => below(column, value)
      case (">" | ">=", Vector(Known(column), Number(value))) => above(column, value)
      case _ => All
    }
    math.min(All, math.max(0, share))
  }

  /** Whether the statistics judge all parts of a condition: the negation of others keeps all rows, too. */
  private def isJudged(predicate: Predicate): Boolean = (predicate.name, predicate.children.toVector) match {
    case ("AND" | "OR" | "NOT", parts) => parts.forall {
        case part: Predicate => isJudged(part)
        case _ => false
      }
    case ("IS_NULL" | "IS_NOT_NULL" | "=" | "<>" | "IN", Vector(Known(_), _*)) => true
    case ("<" | "<=" | ">" | ">=", Vector(Known(column), Number(_))) => column.range.isDefined
    case _ => false
  }

  private def equal(column: KnownColumn, value: Expression): Double = {
    val isOutside =
      Number.unapply(value).exists(v => column.range.exists { case (from, to) => v < from || v > to })
    if (isOutside) 0 else 1.0 / math.max(1, column.counts.distinct)
  }

  private def below(column: KnownColumn, value: Double): Double = column.range.fold(All) { case (from, to) =>
    if (to > from) (value - from) / (to - from) else if (value >= from) All else 0
  }

  private def above(column: KnownColumn, value: Double): Double = column.range.fold(All) { case (from, to) =>
    if (to > from) (to - value) / (to - from) else if (value <= to) All else 0
  }

  private object Known {
    def unapply(expression: Expression): Option[KnownColumn] = expression match {
      case reference: NamedReference if reference.fieldNames.length == 1 =>
        columns.get(reference.fieldNames.head)
      case _ => None
    }
  }
}

private object FilterSelectivity {
  final private val All = 1.0

  private object Number {

    /** NaN is greater than all numbers in Spark, and equal to itself. */
    def unapply(expression: Expression): Option[Double] = expression match {
      case literal: Literal[_] => KnownColumn.number(literal.value).filterNot(_.isNaN)
      case _ => None
    }
  }
}
