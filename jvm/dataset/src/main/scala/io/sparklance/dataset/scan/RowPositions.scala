package io.sparklance.dataset.scan

import io.sparklance.LanceUsageException
import io.sparklance.data.RowRanges
import io.sparklance.dataset.snapshot.{RowAddress, Snapshot}

/** Finds rows by their positions among the live rows of a table, in its order. */
private[sparklance] object RowPositions {

  /** The addresses of the rows at some positions, in the order of these. Deletion files are read where they
    * matter.
    */
  def addresses(snapshot: Snapshot, positions: Vector[Long]): Vector[Long] = snapshot.locating {
    val found = positions.distinct.sorted.iterator.buffered
    val places = Map.newBuilder[Long, Long]
    val fragments = snapshot.fragments.iterator
    var first = 0L
    while (found.hasNext && fragments.hasNext) {
      val fragment = fragments.next()
      val rows =
        new SelectedRows(snapshot, fragment, RowRanges(0, snapshot.physicalRows(fragment)))
      while (found.hasNext && found.head - first < rows.live) {
        val position = found.next()
        if (position < 0) throw outside(snapshot, position)
        places += position -> (RowAddress.first(fragment.id) + rows.place(position - first))
      }
      first += rows.live
    }
    found.headOption.foreach(position => throw outside(snapshot, position))
    positions.map(places.result())
  }

  private def outside(snapshot: Snapshot, position: Long) = new LanceUsageException(
    s"The table at ${snapshot.root} has no row $position: version ${snapshot.version} has " +
      s"${snapshot.countRows} rows. Give positions from 0 on, below that number."
  )
}
