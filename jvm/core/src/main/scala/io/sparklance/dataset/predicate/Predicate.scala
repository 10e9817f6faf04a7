package io.sparklance.dataset.predicate

import io.sparklance.schema.Leaf

/** A condition on rows in SQL's logic of three values. There is no NOT: [[negated]] takes it down to the tests of single
  * values, which in that logic changes nothing, and so only the rows for which something is true are ever asked for.
  *
  * The leaves lie in structs only, never in lists or maps.
  */
sealed trait Predicate extends Product with Serializable {

  /** True where this is false, false where it is true, and neither where it is neither. */
  def negated: Predicate

  /** What has to be read. */
  def leaves: Vector[Leaf]
}

object Predicate {
  case object Always extends Predicate {
    def negated: Predicate = Never
    def leaves: Vector[Leaf] = Vector.empty
  }

  case object Never extends Predicate {
    def negated: Predicate = Always
    def leaves: Vector[Leaf] = Vector.empty
  }

  /** Neither true nor false, as a comparison with null is. */
  case object Unknown extends Predicate {
    def negated: Predicate = Unknown
    def leaves: Vector[Leaf] = Vector.empty
  }

  final case class AllOf(operands: Vector[Predicate]) extends Predicate {
    def negated: Predicate = AnyOf(operands.map(_.negated))
    def leaves: Vector[Leaf] = operands.flatMap(_.leaves).distinct
  }

  final case class AnyOf(operands: Vector[Predicate]) extends Predicate {
    def negated: Predicate = AllOf(operands.map(_.negated))
    def leaves: Vector[Leaf] = operands.flatMap(_.leaves).distinct
  }

  /** Whether a value is null, or a struct around it. */
  final case class IsNull(leaf: Leaf) extends Predicate {
    def negated: Predicate = NotNull(leaf)
    def leaves: Vector[Leaf] = Vector(leaf)
  }

  final case class NotNull(leaf: Leaf) extends Predicate {
    def negated: Predicate = IsNull(leaf)
    def leaves: Vector[Leaf] = Vector(leaf)
  }

  /** Whether a value passes a test; neither true nor false of nulls. */
  final case class Passes(leaf: Leaf, test: ValueTest) extends Predicate {
    def negated: Predicate = Fails(leaf, test)
    def leaves: Vector[Leaf] = Vector(leaf)
  }

  /** Whether a value, not a null, does not pass. */
  final case class Fails(leaf: Leaf, test: ValueTest) extends Predicate {
    def negated: Predicate = Passes(leaf, test)
    def leaves: Vector[Leaf] = Vector(leaf)
  }

  /** All of them, flattened as far as that is simple. */
  def all(operands: Predicate*): Predicate = {
    val flat = operands.toVector.flatMap(conjuncts)
    if (flat.size == 1) flat.head else if (flat.isEmpty) Always else AllOf(flat)
  }

  /** What must be true, one by one. */
  def conjuncts(predicate: Predicate): Vector[Predicate] = predicate match {
    case Always => Vector.empty
    case AllOf(operands) => operands.flatMap(conjuncts)
    case _: AnyOf | _: IsNull | _: NotNull | _: Passes | _: Fails | Never | Unknown => Vector(predicate)
  }
}
