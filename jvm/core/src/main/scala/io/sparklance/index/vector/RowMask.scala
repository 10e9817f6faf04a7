package io.sparklance.index.vector

import java.util.Arrays

import io.sparklance.LanceFormatException
import io.sparklance.data.RowRanges
import io.sparklance.dataset.snapshot.{MetadataColumn, RowAddress, Snapshot}
import io.sparklance.table.deletion.DeletionVector
import io.sparklance.table.index.RoaringSet
import io.sparklance.table.rowid.RowIdSequence

/** The rows that a segment may return: live rows of the fragments that it covers, and of those the ones among
  * which to search.
  */
sealed private[vector] trait RowMask {

  /** Returns the address of a row, or -1 if it must not be returned. */
  def address(id: Long): Long
}

private[vector] object RowMask {

  /** @param among
    *   addresses of the rows among which to search, sorted; all rows if None
    */
  def of(snapshot: Snapshot, covered: RoaringSet, among: Option[Array[Long]]): RowMask = {
    val fragments = snapshot.fragments.filter(f => covered.contains(f.id)).map { fragment =>
      fragment.id -> LiveFragment(snapshot.physicalRows(fragment), snapshot.deletionVector(fragment))
    }.toMap
    val addresses = new AddressMask(fragments, among)
    if (!snapshot.hasStableRowIds) addresses
    else
      new RowIdMask(
        snapshot.fragments.filter(f => fragments.contains(f.id)).map { fragment =>
          val numbers =
            snapshot.numbers(fragment, MetadataColumn.RowId).map(_.parse(snapshot.physicalRows(fragment)))
          numbers match {
            case Some(ids: RowIdSequence) => RowAddress.first(fragment.id) -> ids
            case _ => throw new LanceFormatException(s"fragment ${fragment.id} has no row ids")
          }
        },
        addresses
      )
  }
}

final private case class LiveFragment(rows: Long, deleted: Option[DeletionVector]) {
  def has(offset: Long): Boolean = offset < rows && !deleted.exists(_.isDeleted(offset))
}

final private class AddressMask(fragments: Map[Long, LiveFragment], among: Option[Array[Long]])
    extends RowMask {
  def address(id: Long): Long = {
    val isLive = id >= 0 && fragments.get(RowAddress.fragment(id)).exists(_.has(RowAddress.offset(id)))
    if (isLive && among.forall(Arrays.binarySearch(_, id) >= 0)) id else -1
  }
}

/** Finds rows by their stable ids. An updated row is in several fragments, in one of them alive. */
final private class RowIdMask(sequences: Vector[(Long, RowIdSequence)], addresses: AddressMask)
    extends RowMask {
  def address(id: Long): Long =
    if (id < 0) -1
    else {
      val wanted = RowRanges(id, id + 1)
      sequences.iterator.flatMap { case (first, ids) =>
        ids.offsetsOf(wanted).ranges.iterator.flatMap(r => (r.start until r.end).iterator).map(first | _)
      }.map(addresses.address).find(_ >= 0).getOrElse(-1L)
    }
}
