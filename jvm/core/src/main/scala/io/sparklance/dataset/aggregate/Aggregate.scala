package io.sparklance.dataset.aggregate

import io.sparklance.dataset.statistics.End
import io.sparklance.schema.{Field, Leaf, LogicalType}

/** What may be asked of many rows at once. */
sealed trait Aggregate extends Product with Serializable {

  /** What the answer is, as a column of its own. */
  def field: Field
}

object Aggregate {

  /** How many rows there are. */
  case object Rows extends Aggregate {
    def field: Field = Count
  }

  /** In how many rows a leaf, which is in no list, has a value. */
  final case class Values(leaf: Leaf) extends Aggregate {
    def field: Field = Count
  }

  /** The least or the greatest of a leaf's values, which [[isSorted]]; null if there is none. */
  final case class Outermost(leaf: Leaf, end: End) extends Aggregate {
    def field: Field = leaf.field.copy(nullable = true)
  }

  /** Whether there is an order among the values of a leaf. */
  def isSorted(leaf: Leaf): Boolean = LeafAnswers.extreme(leaf, End.Least).isDefined

  private val Count = Field(-1, "count", LogicalType.Integer(64, signed = true), nullable = false)
}
