package io.sparklance.index.search

/** The use of the rows that a search finds. */
sealed private[search] trait SearchGoal extends Product with Serializable

private[search] object SearchGoal {

  /** They are read. */
  case object Rows extends SearchGoal

  /** They are counted. */
  case object Count extends SearchGoal
}
