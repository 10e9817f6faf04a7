package io.sparklance.dataset.scan

import io.sparklance.LanceUsageException
import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.RowAddress

/** Finds rows by their positions among the live rows of a table, in its order. */
object RowPositions {

  /** The addresses of the rows at some positions, in the order of these. Deletion files are read where they matter. */
  def addresses(dataset: Dataset, positions: Vector[Long]): Vector[Long] = dataset.locating {
    val found = positions.distinct.sorted.iterator.buffered
    val places = Map.newBuilder[Long, Long]
    val fragments = dataset.fragments.iterator
    var first = 0L
    while (found.hasNext && fragments.hasNext) {
      val fragment = fragments.next()
      val rows =
        new SelectedRows(dataset, fragment, RowRanges(0, dataset.physicalRows(fragment)))
      while (found.hasNext && found.head - first < rows.live) {
        val position = found.next()
        if (position < 0) throw outside(dataset, position)
        places += position -> (RowAddress.first(fragment.id) + rows.behind(position - first + 1) - 1)
      }
      first += rows.live
    }
    found.headOption.foreach(position => throw outside(dataset, position))
    positions.map(places.result())
  }

  private def outside(dataset: Dataset, position: Long) = new LanceUsageException(
    s"There is no row $position: the table at ${dataset.root} has ${dataset.countRows} in version ${dataset.version}, and " +
      "they count from 0."
  )
}
