package io.sparklance.dataset.grouping

import io.sparklance.dataset.predicate.NumberKeys
import io.sparklance.dataset.statistics.End
import io.sparklance.schema.{Field, Leaf, LogicalType}

/** An aggregate over the rows of a group. */
sealed private[sparklance] trait GroupAggregate extends Product with Serializable {
  def leaves: Vector[Leaf]

  /** The field of its results. */
  def field: Field
}

private[sparklance] object GroupAggregate {
  private def result(logicalType: LogicalType): Field = Field(-1, "result", logicalType, nullable = true)
  private val Count = result(LogicalType.Integer(64, signed = true)).copy(nullable = false)

  /** Number of rows. */
  case object Rows extends GroupAggregate {
    def leaves: Vector[Leaf] = Vector.empty
    def field: Field = Count
  }

  /** Number of values that are not null. */
  final case class Values(leaf: Leaf) extends GroupAggregate {
    def leaves: Vector[Leaf] = Vector(leaf)
    def field: Field = Count
  }

  /** Least or greatest number, date or time, as [[isOrdered]] says. */
  final case class Outermost(leaf: Leaf, end: End) extends GroupAggregate {
    def leaves: Vector[Leaf] = Vector(leaf)
    def field: Field = leaf.field.copy(nullable = true)
  }

  /** Sum of integers, a long. */
  final case class IntegerSum(term: NumericTerm.ExactLeaf) extends GroupAggregate {
    def leaves: Vector[Leaf] = term.leaves
    def field: Field = result(LogicalType.Integer(64, signed = true))
  }

  /** Sum of decimals. It has the type of its operands, because Spark casts partial sums to that type. */
  final case class DecimalSum(term: NumericTerm.Exact) extends GroupAggregate {
    def leaves: Vector[Leaf] = term.leaves
    def field: Field = result(LogicalType.Decimal(128, term.digits, term.scale))
  }

  /** Sum of doubles. */
  final case class FloatingSum(term: NumericTerm.Floating) extends GroupAggregate {
    def leaves: Vector[Leaf] = term.leaves
    def field: Field = result(LogicalType.FloatingPoint(64))
  }

  /** Whether longs can represent the values of a leaf in their order. */
  def isOrdered(leaf: Leaf): Boolean = numbers(leaf).isDefined

  private[grouping] def numbers(leaf: Leaf): Option[NumberKeys] = leaf.field.logicalType match {
    case LogicalType.Decimal(_, digits, _) if digits > 18 => None
    case LogicalType.Dictionary(LogicalType.Decimal(_, digits, _), _) if digits > 18 => None
    case other => NumberKeys.of(other)
  }
}
