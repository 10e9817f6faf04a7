package io.sparklance.dataset

import io.sparklance.schema.Field

/** What one task of an engine reads: rows of one fragment or of several, in the table's order. */
final case class Split(tasks: Vector[FragmentTask])

/** Cuts a table into splits of about equal work. */
object ScanPlan {

  /** Splits that together have every row of the table, in its order. They begin at any row, and small fragments share one.
    *
    * @param projection top-level fields of the table's schema, with all that is in them or a part of it
    */
  def splits(dataset: Dataset, projection: Vector[Field], target: SplitTarget): Vector[Split] =
    dataset.locating {
      val projected = new ProjectedFragments(dataset, projection)
      val work = dataset.fragments.map(fragment => measured(projected.work(fragment), target))
      val tasks = dataset.fragments.map(projected.task)
      SplitFiller.of(target, work).fill(work.iterator).map { pieces =>
        Split(pieces.map { case (fragment, rows) => tasks(fragment).copy(rows = rows) })
      }
    }

  /** Where rows are what counts, they are taken for bytes. */
  private def measured(work: FragmentWork, target: SplitTarget): FragmentWork = target match {
    case SplitTarget.Rows(_) => work.copy(bytes = work.rows.toDouble)
    case _: SplitTarget.Bytes | _: SplitTarget.Balanced => work
  }
}
