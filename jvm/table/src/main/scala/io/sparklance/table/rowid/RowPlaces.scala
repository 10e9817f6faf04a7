package io.sparklance.table.rowid

import java.util.Arrays

import io.sparklance.LanceFormatException
import io.sparklance.data.RowRanges
import io.sparklance.table.{Fragment, Manifest}

/** Finds rows by their stable ids: fragment and offset. */
final private[sparklance] class RowPlaces private (
    ids: Array[Long],
    fragments: Array[Fragment],
    offsets: Array[Long]
) {

  /** Returns None if no fragment has the row. An updated row is in two fragments; the first one counts. */
  def find(id: Long): Option[RowPlaces.Place] = {
    val at = Arrays.binarySearch(ids, id)
    Option.when(at >= 0)(RowPlaces.Place(fragments(at), offsets(at)))
  }
}

private[sparklance] object RowPlaces {
  final case class Place(fragment: Fragment, offset: Long)

  /** Finds the wanted ids only, so that it grows with these and not with the table. */
  def of(manifest: Manifest, wanted: Array[Long]): RowPlaces = {
    val ranges = RowRanges.ofRows(wanted)
    val found = for {
      owner <- RowIdIndices.of(manifest)(manifest.fragments.iterator.map(sequenceOf)).owners(ranges).toVector
      fragment = manifest.fragments(owner)
      sequence = sequenceOf(fragment)
      range <- sequence.offsetsOf(ranges).ranges
      offset <- range.start until range.end
    } yield (sequence(offset), Place(fragment, offset))
    val first = found.distinctBy(_._1).sortBy(_._1)
    new RowPlaces(
      first.map(_._1).toArray,
      first.map(_._2.fragment).toArray,
      first.map(_._2.offset).toArray
    )
  }

  private def sequenceOf(fragment: Fragment): RowIdSequence = fragment.rowIds.fold(RowIdSequence.empty) {
    bytes =>
      val rows = fragment.physicalRows.getOrElse(
        throw new LanceFormatException(s"fragment ${fragment.id} has row ids, but no number of rows")
      )
      RowIdSequence.parse(bytes.toArray, rows)
  }
}
