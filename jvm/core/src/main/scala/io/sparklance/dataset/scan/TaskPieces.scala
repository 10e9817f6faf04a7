package io.sparklance.dataset.scan

import io.sparklance.data.RowRange

/** Cuts a task into tasks of some of its rows each, which carry the numbers of no others: those of a fragment
  * may take 8 bytes a row.
  */
final private class TaskPieces(task: FragmentTask) {
  private lazy val numbers = task.numbers.map(source => source -> source.parse(task.physicalRows))

  /** @param piece which of the task's rows, by their order */
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

  /** Bytes that are not worth being cut. */
  final private val SmallMessage = 128
}
