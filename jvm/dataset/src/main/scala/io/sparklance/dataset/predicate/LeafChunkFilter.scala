package io.sparklance.dataset.predicate

import io.sparklance.data.DataBlock
import io.sparklance.schema.Leaf

/** A predicate's necessary condition on the values of one leaf: if no value meets it, no row passes. */
final private[dataset] class LeafChunkFilter(predicate: Predicate) {
  private val filter = new RowFilter(predicate)
  private var positions = new Array[Int](0)

  /** Whether one of `values`, none of which is null, passes. */
  def mayPass(values: DataBlock): Boolean = {
    val count = values.length
    if (positions.length < count) positions = new Array[Int](count)
    var i = 0
    while (i < count) { positions(i) = i; i += 1 }
    filter.narrow(_ => LeafValues(values, Vector.empty), positions, count) > 0
  }
}

private[dataset] object LeafChunkFilter {

  /** Returns None if the predicate does not restrict the leaf. */
  def of(predicate: Predicate, leaf: Leaf): Option[LeafChunkFilter] = {
    val own = Predicate.conjuncts(predicate).filter(p => p.leaves.forall(_ == leaf) && failsNulls(p))
    Option.when(own.nonEmpty)(new LeafChunkFilter(Predicate.all(own: _*)))
  }

  /** Whether it is never true for a null. */
  private def failsNulls(predicate: Predicate): Boolean = predicate match {
    case Predicate.Passes(_, _) | Predicate.Fails(_, _) => true
    case Predicate.AllOf(operands) => operands.exists(failsNulls)
    case Predicate.AnyOf(operands) => operands.forall(failsNulls)
    case Predicate.Always | Predicate.Never | Predicate.Unknown => false
    case Predicate.IsNull(_) | Predicate.NotNull(_) => false
  }
}
