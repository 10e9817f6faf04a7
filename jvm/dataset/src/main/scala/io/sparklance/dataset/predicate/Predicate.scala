package io.sparklance.dataset.predicate

import io.sparklance.schema.Leaf

/** A condition on rows in SQL's three-valued logic. There is no NOT: [[negated]] pushes it down to the tests
  * of single values, which is equivalent in this logic. So readers only ask for rows for which a predicate is
  * true.
  *
  * Leaves may be inside structs, but not inside lists or maps.
  */
sealed private[sparklance] trait Predicate extends Product with Serializable {

  /** Returns the negation: unknown stays unknown. */
  def negated: Predicate

  /** Leaves to read. */
  def leaves: Vector[Leaf]
}

private[sparklance] object Predicate {
  case object Always extends Predicate {
    def negated: Predicate = Never
    def leaves: Vector[Leaf] = Vector.empty
  }

  case object Never extends Predicate {
    def negated: Predicate = Always
    def leaves: Vector[Leaf] = Vector.empty
  }

  /** Neither true nor false, like a comparison with null. */
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

  /** Whether a value passes a test; unknown for nulls. */
  final case class Passes(leaf: Leaf, test: ValueTest) extends Predicate {
    def negated: Predicate = Fails(leaf, test)
    def leaves: Vector[Leaf] = Vector(leaf)
  }

  /** Whether a value fails a test; unknown for nulls. */
  final case class Fails(leaf: Leaf, test: ValueTest) extends Predicate {
    def negated: Predicate = Passes(leaf, test)
    def leaves: Vector[Leaf] = Vector(leaf)
  }

  /** Returns the conjunction, flattened where that is simple. */
  def all(operands: Predicate*): Predicate = {
    val flat = operands.toVector.flatMap(conjuncts)
    if (flat.size == 1) flat.head else if (flat.isEmpty) Always else AllOf(flat)
  }

  /** Returns the operands of a conjunction. */
  def conjuncts(predicate: Predicate): Vector[Predicate] = predicate match {
    case Always => Vector.empty
    case AllOf(operands) => operands.flatMap(conjuncts)
    case _: AnyOf | _: IsNull | _: NotNull | _: Passes | _: Fails | Never | Unknown => Vector(predicate)
  }
}
