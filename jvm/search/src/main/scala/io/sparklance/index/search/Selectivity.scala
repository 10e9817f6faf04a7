package io.sparklance.index.search

import io.sparklance.dataset.predicate.{BytesTest, NumberTest, Predicate, ValueTest}

/** A guess at which predicates leave the fewest rows, so that their indices are searched first. */
private[search] object Selectivity {

  /** Returns a lower number for a predicate that probably leaves fewer rows. */
  def rank(predicate: Predicate): Int = predicate match {
    case Predicate.Never | Predicate.Unknown => 0
    case Predicate.Passes(_, test) => rank(test)
    case Predicate.IsNull(_) => 2
    case Predicate.AllOf(operands) => operands.map(rank).minOption.getOrElse(4)
    case Predicate.AnyOf(operands) => operands.map(rank).maxOption.getOrElse(0)
    case Predicate.Fails(_, _) | Predicate.NotNull(_) | Predicate.Always => 4
  }

  private def rank(test: ValueTest): Int = test match {
    case NumberTest.Within(least, most) => if (least == most) 0 else 3
    case BytesTest.SameAs(_) => 0
    case NumberTest.OneOf(_) | BytesTest.OneOf(_) => 1
    case BytesTest.StartsWith(_) => 2
    case BytesTest.Before(_) | BytesTest.NotAfter(_) | BytesTest.EndsWith(_) | BytesTest.Contains(_) => 3
  }
}
