package io.sparklance.dataset

import io.sparklance.data.ValueShape
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.schema.Leaf

/** A predicate in two parts, both of which must be true: what small values tell is asked of all rows, and the rest only of
  * those that are left. The parts have no leaf in common.
  */
final private case class FilterStages(first: Predicate, second: Predicate)

private object FilterStages {

  /** Bytes of a value that is cheap enough to be decoded for every row. */
  final private val SmallValue = 16L

  def of(predicate: Predicate): FilterStages = {
    val conjuncts = Predicate.conjuncts(predicate)
    val cheapest = conjuncts.filter(_.leaves.forall(isSmall))
    val first = closure(if (cheapest.isEmpty) conjuncts else cheapest, conjuncts)
    FilterStages(Predicate.all(first: _*), Predicate.all(conjuncts.filterNot(first.contains): _*))
  }

  /** `chosen` with all others that share a leaf with them. */
  private def closure(chosen: Vector[Predicate], all: Vector[Predicate]): Vector[Predicate] = {
    val leaves = chosen.flatMap(_.leaves).toSet
    val more = all.filter(p => chosen.contains(p) || p.leaves.exists(leaves))
    if (more.size == chosen.size) chosen else closure(more, all)
  }

  private def isSmall(leaf: Leaf): Boolean = {
    val shape = PrimitiveField.shapeOf(leaf.field)
    !ValueShape.isVariable(shape) && ValueShape.minimumBytes(shape) <= SmallValue
  }
}
