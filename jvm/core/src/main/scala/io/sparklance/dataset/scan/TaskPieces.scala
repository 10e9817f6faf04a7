package io.sparklance.dataset.scan

import io.sparklance.data.RowRange

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
