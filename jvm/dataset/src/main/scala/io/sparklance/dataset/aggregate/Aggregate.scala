package io.sparklance.dataset.aggregate

import io.sparklance.dataset.statistics.End
import io.sparklance.schema.{Field, Leaf, LogicalType}

/** An aggregate over rows. */
sealed private[sparklance] trait Aggregate extends Product with Serializable {

  /** The answer's field. */
  def field: Field
}

private[sparklance] object Aggregate {

  /** Number of rows. */
  case object Rows extends Aggregate {
    def field: Field = Count
  }

  /** Number of rows in which a leaf, outside of lists, has a value. */
  final case class Values(leaf: Leaf) extends Aggregate {
    def field: Field = Count
  }

  /** Minimum or maximum of a leaf's values, which [[isSorted]]; null if there is none. */
  final case class Outermost(leaf: Leaf, end: End) extends Aggregate {
    def field: Field = leaf.field.copy(nullable = true)
  }

  /** Whether the values of a leaf are ordered. */
  def isSorted(leaf: Leaf): Boolean = LeafAnswers.extreme(leaf, End.Least).isDefined

  private val Count = Field(-1, "count", LogicalType.Integer(64, signed = true), nullable = false)
}
