package io.sparklance.dataset.scan

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.order.TopRows
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.schema.Field

/** Cuts a table into splits of about equal work. */
private[sparklance] object ScanPlan {

  /** Returns splits that together have every selected row of the table, in its order. A split begins at any
    * row, and small fragments share one.
    *
    * @param projection
    *   top-level fields of the table's schema, whole or in part, and metadata columns
    * @param selection
    *   addresses of rows; fragments without any of them are left out
    * @param predicate
    *   a filter on the rows
    * @param top
    *   an order and the number of its first rows that are wanted, if not all
    * @param passed
    *   ids of fragments whose selected rows are known to pass the filter
    */
  def splits(
      snapshot: Snapshot,
      projection: Vector[Field],
      target: SplitTarget,
      selection: RowRanges = RowRanges.all,
      predicate: Predicate = Predicate.Always,
      top: Option[TopRows] = None,
      passed: Set[Long] = Set.empty
  ): Vector[Split] = snapshot.locating {
    val leaf = top.map(_.order.leaf)
    val filtered = new ProjectedFragments(snapshot, projection, predicate, leaf)
    val others = new ProjectedFragments(snapshot, projection, Predicate.Always, leaf)
    val selected = snapshot.select(selection)
    val (tasks, work) = selected.map { case (fragment, rows) =>
      val (task, work) = (if (passed(fragment.id)) others else filtered).plan(fragment, rows)
      (new TaskPieces(task), measured(work, target))
    }.unzip
    SplitFiller.of(target, work).fill(work.iterator).map { pieces =>
      val rows = pieces.map { case (i, piece) =>
        tasks(i).of(piece)
      }
      Split(rows, top = top)
    }
  }

  /** Counts rows as bytes if the target is a number of rows. */
  private def measured(work: FragmentWork, target: SplitTarget): FragmentWork = target match {
    case SplitTarget.Rows(_) => work.copy(bytes = work.rows.toDouble)
    case SplitTarget.Uncut(of) => measured(work, of)
    case _: SplitTarget.Bytes | _: SplitTarget.Balanced => work
  }
}

/** Divides the task of a fragment into tasks for ranges of its rows. Each carries the row ids and row
  * versions of its own rows only, because those of a fragment may take 8 bytes a row.
  */
final private class TaskPieces(task: FragmentTask) {
  private lazy val numbers = task.numbers.map(source => source -> source.parse(task.physicalRows))

  /** @param piece a range of the task's rows, by their order */
  def of(piece: RowRange): FragmentTask = {
    val cut = task.copy(rows = task.rows.slice(piece.start, piece.end))
    val hull = cut.rows.hull
    val isWorthIt = task.numbers.exists(_.message.size > TaskPieces.SmallMessage)
    if (!isWorthIt || hull.length == task.physicalRows) cut
    else
      cut.copy(
        numbers = numbers.map { case (source, all) => source.withMessage(all.messageOf(hull)) },
        numbered = Some(hull)
      )
  }
}

private object TaskPieces {

  /** Messages of up to this number of bytes are not divided. */
  final private val SmallMessage = 128
}
