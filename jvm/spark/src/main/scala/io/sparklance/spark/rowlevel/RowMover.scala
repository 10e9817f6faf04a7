package io.sparklance.spark.rowlevel

import io.sparklance.dataset.backfill.{ChangeCost, ColumnsTask, HeldRows, RestOfRows}
import io.sparklance.dataset.snapshot.RowAddress
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.write.LanceDataWriter

/** Writes changed rows with all columns, those that do not change as they are stored.
  *
  * @param files
  *   where the rows go
  * @param moved
  *   learns their addresses and ids
  */
final private[rowlevel] class RowMover(
    location: TableLocation,
    spec: MovesSpec,
    files: LanceDataWriter,
    moved: (Long, Long) => Unit
) {
  private val store = location.store

  def cost(task: ColumnsTask): ChangeCost = task.old.fold(ChangeCost(task.physicalRows, 0, 0))(
    ChangeCost.of(store, _, spec.rest(task.id))
  )

  def move(fragment: Long, rows: HeldRows): Unit = if (rows.count > 0) {
    val offsets = rows.offsets
    offsets.zip(rows.ids).foreach { case (offset, id) => moved(RowAddress.of(fragment, offset), id) }
    val rest = new RestOfRows(store, spec.rest(fragment), offsets)
    try
      files.fill(rows.count) { (file, from, n) =>
        rows.copy(from, from + n, spec.changed.map(file.columns))
        rest.copy(n, spec.others.map(file.columns))
      }
    finally rest.close()
  }
}
