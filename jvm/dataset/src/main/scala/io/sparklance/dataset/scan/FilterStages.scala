package io.sparklance.dataset.scan

import io.sparklance.data.ValueShape
import io.sparklance.dataset.order.RowOrder
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.schema.Leaf

/** A predicate in two parts, both of which must be true: what small values tell is asked of all rows, and the
  * rest only of those that are left. The parts have no leaf in common.
  *
  * @param order
  *   of which only the first rows are wanted that pass; its leaf is none of the second part's
  */
final private case class FilterStages(first: Predicate, second: Predicate, order: Option[RowOrder]) {

  /** Whether not all rows are wanted. */
  def areSelective: Boolean = first != Predicate.Always || order.nonEmpty

  /** Whether rows that pass the first part are tested by the second. */
  def hasSecond: Boolean = second != Predicate.Always

  /** Predicate of the first stage, evaluated for all rows. */
  def streamed: Vector[Leaf] = (first.leaves ++ order.map(_.leaf)).distinct

  /** All that is looked at to find out which rows are wanted. */
  def leaves: Vector[Leaf] = (streamed ++ second.leaves).distinct
}

private object FilterStages {

  /** Bytes of a value that is cheap enough to be decoded for every row. */
  final private val SmallValue = 16L

  def of(predicate: Predicate, order: Option[RowOrder]): FilterStages = {
    val conjuncts = Predicate.conjuncts(predicate)
    val cheapest = conjuncts.filter(_.leaves.forall(isSmall))
    val first = closure(if (cheapest.isEmpty) conjuncts else cheapest, conjuncts, order.map(_.leaf).toSet)
    FilterStages(Predicate.all(first: _*), Predicate.all(conjuncts.filterNot(first.contains): _*), order)
  }

  /** `chosen` with all others that share a leaf with them, or have one of some others. */
  private def closure(
      chosen: Vector[Predicate],
      all: Vector[Predicate],
      others: Set[Leaf]
  ): Vector[Predicate] = {
    val leaves = others ++ chosen.flatMap(_.leaves)
    val more = all.filter(p => chosen.contains(p) || p.leaves.exists(leaves))
    if (more.size == chosen.size) chosen else closure(more, all, others)
  }

  private def isSmall(leaf: Leaf): Boolean = {
    val shape = PrimitiveField.shapeOf(leaf.field)
    !ValueShape.isVariable(shape) && ValueShape.minimumBytes(shape) <= SmallValue
  }
}
