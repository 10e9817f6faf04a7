package io.sparklance.table.rowid

import java.util.Arrays

import io.sparklance.LanceFormatException
import io.sparklance.data.RowRanges
import io.sparklance.table.Fragment

/** Finds rows by their stable ids: fragment and offset. */
final private[sparklance] class RowIdIndex private (
    ids: Array[Long],
    fragments: Array[Fragment],
    offsets: Array[Long]
) {

  /** Returns None if no fragment has the row. An updated row is in two fragments; the first one counts. */
  def find(id: Long): Option[RowIdIndex.Place] = {
    val at = Arrays.binarySearch(ids, id)
    Option.when(at >= 0)(RowIdIndex.Place(fragments(at), offsets(at)))
  }
}

private[sparklance] object RowIdIndex {
  final case class Place(fragment: Fragment, offset: Long)

  /** Builds an index of the wanted ids only, so that it grows with these and not with the table.
    *
    * @param fragments
    *   fragments, ordered by id
    */
  def of(fragments: Vector[Fragment], wanted: Array[Long]): RowIdIndex = {
    val ranges = RowRanges.ofRows(wanted)
    val found = for {
      fragment <- fragments
      sequence <- sequenceOf(fragment).toVector
      range <- sequence.offsetsOf(ranges).ranges
      offset <- range.start until range.end
    } yield (sequence(offset), Place(fragment, offset))
    val first = found.distinctBy(_._1).sortBy(_._1)
    new RowIdIndex(
      first.map(_._1).toArray,
      first.map(_._2.fragment).toArray,
      first.map(_._2.offset).toArray
    )
  }

  private def sequenceOf(fragment: Fragment): Option[RowIdSequence] = fragment.rowIds.map { bytes =>
    val rows = fragment.physicalRows.getOrElse(
      throw new LanceFormatException(s"fragment ${fragment.id} has row ids, but no number of rows")
    )
    RowIdSequence.parse(bytes.toArray, rows)
  }
}
