package io.sparklance.spark.read

import org.apache.spark.sql.connector.expressions.filter.{AlwaysFalse, AlwaysTrue, And, Not, Or, Predicate}
import org.apache.spark.sql.connector.expressions.{Expression, Literal, NamedReference}
import org.apache.spark.sql.types.LongType

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.MetadataColumn

/** Predicates on row addresses, ids and versions, which select a set of addresses without reading data. These
  * columns have no nulls, so the sets combine like truth values: union, intersection, complement.
  */
final private[spark] class MetadataColumnPredicates(dataset: Dataset) {

  /** Metadata columns by name, unless a column of the table hides one. */
  private val columns: Map[String, MetadataColumn] =
    MetadataColumn.all.map(c => c.name -> c).toMap -- dataset.schema.fields.map(_.name)

  /** Columns on which a runtime filter saves reading. */
  def useful: Set[MetadataColumn] = columns.values.toSet

  /** Returns the rows for which the predicate is true, if it is of this kind. */
  def selection(predicate: Predicate): Option[RowRanges] = predicate match {
    case _: AlwaysTrue => Some(RowRanges.all)
    case _: AlwaysFalse => Some(RowRanges.empty)
    case and: And => both(and.left, and.right)(_.intersect(_))
    case or: Or => both(or.left, or.right)(_.union(_))
    case not: Not => selection(not.child).map(_.complement)
    case _ => comparison(predicate.name, predicate.children)
  }

  private def both(left: Predicate, right: Predicate)(
      combine: (RowRanges, RowRanges) => RowRanges
  ): Option[RowRanges] = for (a <- selection(left); b <- selection(right)) yield combine(a, b)

  private def comparison(name: String, operands: Array[Expression]): Option[RowRanges] =
    operands.toList match {
      case Column(column) :: values if name == "IN" =>
        val numbers = values.collect { case Number(n) => n }
        Option.when(numbers.size == values.size)(rows(column, RowRanges.of(numbers.map(equalTo))))
      case Column(column) :: Number(n) :: Nil => compared(name, n).map(rows(column, _))
      case Number(n) :: Column(column) :: Nil =>
        compared(MetadataColumnPredicates.Turned.getOrElse(name, name), n).map(rows(column, _))
      case _ => None
    }

  private def rows(column: MetadataColumn, numbers: RowRanges) = dataset.addressesOf(column, numbers)

  /** Returns the numbers for which a comparison is true. */
  private def compared(name: String, n: Long): Option[RowRanges] = name match {
    case "=" | "<=>" => Some(RowRanges(equalTo(n)))
    case "<>" => Some(RowRanges(equalTo(n)).complement)
    case "<" => Some(RowRanges(0, from(n)))
    case "<=" => Some(RowRanges(0, behind(n)))
    case ">" => Some(RowRanges(behind(n), Long.MaxValue))
    case ">=" => Some(RowRanges(from(n), Long.MaxValue))
    case _ => None
  }

  private def equalTo(n: Long): RowRange = RowRange(from(n), behind(n))

  /** Returns the first number that is at least `n`; none is negative. */
  private def from(n: Long): Long = math.max(0, n)
  private def behind(n: Long): Long = if (n == Long.MaxValue) n else from(n + 1)

  private object Column {
    def unapply(expression: Expression): Option[MetadataColumn] = expression match {
      case reference: NamedReference if reference.fieldNames.length == 1 =>
        columns.get(reference.fieldNames.head)
      case _ => None
    }
  }

  private object Number {
    def unapply(expression: Expression): Option[Long] = expression match {
      case literal: Literal[_] if literal.dataType == LongType =>
        literal.value match {
          case n: Long => Some(n)
          case _ => None
        }
      case _ => None
    }
  }
}

private object MetadataColumnPredicates {

  /** Comparisons with swapped sides. */
  private val Turned = Map("<" -> ">", "<=" -> ">=", ">" -> "<", ">=" -> "<=")
}
