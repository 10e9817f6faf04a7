package io.sparklance.dataset.scan

import io.sparklance.file.{ChosenRows, ReadAhead}
import io.sparklance.io.{IoClient, ReadBudget}

/** The rows that a fragment's stages pass on, and the read-ahead of each stage, for all files together.
  *
  * @param passedFirst
  *   rows that passed the first filter
  * @param passed
  *   rows that passed all filters
  */
final private class StageReads(
    val streamed: ReadAhead,
    val tested: ReadAhead,
    val rest: ReadAhead,
    val passedFirst: ChosenRows,
    val passed: ChosenRows
)

private object StageReads {

  /** Divides the budget of a task among the stages that read something, since an early stage would take all
    * of it and leave later ones none.
    */
  def of(plan: FragmentPlan, io: IoClient): StageReads = {
    val files = plan.files
    val hasTested = files.exists(_.tested.nonEmpty)
    val hasRest = files.exists(_.rest.nonEmpty)
    val shares = (hasTested, hasRest) match {
      case (false, false) => Vector(4, 0, 0)
      case (true, false) => Vector(1, 3, 0)
      case (false, true) => Vector(1, 0, 3)
      case (true, true) => Vector(1, 1, 2)
    }
    val ahead = shares.map(n => new ReadAhead(new ReadBudget(io, n)))
    val passedFirst = new ChosenRows
    val passed = if (plan.stages.hasSecond) new ChosenRows else passedFirst
    new StageReads(ahead(0), ahead(1), ahead(2), passedFirst, passed)
  }
}
