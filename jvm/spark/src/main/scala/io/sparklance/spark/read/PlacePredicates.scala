package io.sparklance.spark.read

import org.apache.spark.sql.connector.expressions.filter.{AlwaysFalse, AlwaysTrue, And, Not, Or, Predicate}
import org.apache.spark.sql.connector.expressions.{Expression, Literal, NamedReference}
import org.apache.spark.sql.types.LongType

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.{Dataset, MetadataColumn, RowAddress}

/** Predicates on the columns that tell where a row is. They say, without a look at the table, which rows are wanted: a set of
  * addresses. The columns have no nulls, so that these sets can be united, intersected and turned around like truth values.
  */
final private class PlacePredicates(dataset: Dataset) {

  /** By name, unless a column of the table hides one. */
  private val columns: Map[String, MetadataColumn] =
    MetadataColumn.all.map(c => c.name -> c).toMap -- dataset.schema.fields.map(_.name)

  /** The columns on which a predicate that is found later, while the query runs, saves reading. */
  def useful: Set[MetadataColumn] = columns.values.toSet

  /** The rows for which the predicate is true, if it is of this kind. */
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
        Option.when(numbers.size == values.size)(rows(column, RowRanges.of(numbers.map(equalTo(column, _)))))
      case Column(column) :: Number(n) :: Nil => compared(column, name, n)
      case Number(n) :: Column(column) :: Nil =>
        compared(column, PlacePredicates.Turned.getOrElse(name, name), n)
      case _ => None
    }

  private def compared(column: MetadataColumn, name: String, n: Long): Option[RowRanges] = {
    val numbers = name match {
      case "=" | "<=>" => Some(RowRanges(equalTo(column, n)))
      case "<>" => Some(RowRanges(equalTo(column, n)).complement)
      case "<" => Some(RowRanges(0, firstOf(column, n)))
      case "<=" => Some(RowRanges(0, behind(column, n)))
      case ">" => Some(RowRanges(behind(column, n), Long.MaxValue))
      case ">=" => Some(RowRanges(firstOf(column, n), Long.MaxValue))
      case _ => None
    }
    numbers.map(rows(column, _))
  }

  /** The addresses of the rows where a column has some of its numbers, those of fragments being told by addresses. */
  private def rows(column: MetadataColumn, numbers: RowRanges): RowRanges = column match {
    case MetadataColumn.RowId => dataset.addressesOf(numbers)
    case MetadataColumn.RowAddr | MetadataColumn.FragId => numbers
  }

  private def equalTo(column: MetadataColumn, n: Long): RowRange =
    RowRange(firstOf(column, n), behind(column, n))

  /** The first number from which on the column has `n` or more; for fragments, of an address. */
  private def firstOf(column: MetadataColumn, n: Long): Long = column match {
    case MetadataColumn.RowAddr | MetadataColumn.RowId => math.max(0, n)
    case MetadataColumn.FragId =>
      if (n <= 0) 0 else if (n > Int.MaxValue) Long.MaxValue else RowAddress.first(n)
  }

  private def behind(column: MetadataColumn, n: Long): Long =
    if (n == Long.MaxValue) Long.MaxValue else firstOf(column, n + 1)

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

private object PlacePredicates {

  /** What a comparison is if its sides change places. */
  private val Turned = Map("<" -> ">", "<=" -> ">=", ">" -> "<", ">=" -> "<=")
}
