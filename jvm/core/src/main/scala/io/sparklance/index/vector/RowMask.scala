package io.sparklance.index.vector

import java.util.Arrays

import io.sparklance.data.RowRanges
import io.sparklance.dataset.snapshot.{MetadataColumn, RowAddress, Snapshot}
import io.sparklance.index.SegmentFiles
import io.sparklance.table.deletion.DeletionVector
import io.sparklance.table.index.RoaringSet
import io.sparklance.table.rowid.RowIdSequence
import io.sparklance.table.{Fragment, VersionIdentity}
import io.sparklance.{LanceFormatException, WeightedCache}

/** The rows that a segment may return: live rows of the fragments that it covers, and of those the ones among
  * which to search.
  */
sealed private[index] trait RowMask {

  /** Returns the address of a row, or -1 if it must not be returned. */
  def address(id: Long): Long
}

private[index] object RowMask {

  /** @param files
    *   of the segment
    * @param fragments
    *   that it covers
    * @param among
    *   addresses of the rows among which to search, sorted; all rows if None
    */
  def of(
      snapshot: Snapshot,
      files: SegmentFiles,
      fragments: RoaringSet,
      among: Option[Array[Long]]
  ): RowMask = {
    val key = (files.directory, snapshot.root, VersionIdentity.of(snapshot.manifest))
    val rows = recent.getOrElseUpdate(key, _.weight)(covered(snapshot, fragments))
    val addresses = new AddressMask(rows.fragments, among)
    if (snapshot.hasStableRowIds) new RowIdMask(rows.ids, addresses) else addresses
  }

  private def covered(snapshot: Snapshot, fragments: RoaringSet): CoveredRows = {
    val covered = snapshot.fragments.filter(f => fragments.contains(f.id))
    CoveredRows(
      covered.iterator.map { fragment =>
        fragment.id -> LiveFragment(snapshot.physicalRows(fragment), snapshot.deletionVector(fragment))
      }.toMap,
      if (snapshot.hasStableRowIds) covered.map(f => RowAddress.first(f.id) -> ids(snapshot, f))
      else Vector.empty
    )
  }

  private def ids(snapshot: Snapshot, fragment: Fragment): RowIdSequence =
    snapshot.numbers(fragment, MetadataColumn.RowId).map(_.parse(snapshot.physicalRows(fragment))) match {
      case Some(ids: RowIdSequence) => ids
      case _ => throw new LanceFormatException(s"fragment ${fragment.id} has no row ids")
    }

  /** Rows of segments in recent versions: searches of a version read its deletion files once. */
  private val recent =
    new WeightedCache[(String, String, VersionIdentity), CoveredRows](
      math.min(64L << 20, Runtime.getRuntime.maxMemory / 32)
    )

  /** Forgets them. */
  def clear(): Unit = recent.clear()
}

/** The live rows of the fragments that a segment covers.
  *
  * @param fragments
  *   by their ids
  * @param ids
  *   stable row ids of each fragment, with the address of its first row; none if the table has no such ids
  */
final private case class CoveredRows(
    fragments: Map[Long, LiveFragment],
    ids: Vector[(Long, RowIdSequence)]
) {

  /** Approximate bytes in memory. */
  def weight: Long = 128L * (1 + fragments.size) +
    fragments.valuesIterator.flatMap(_.deleted).map(4L * _.cardinality).sum +
    ids.iterator.map(128L + 16L * _._2.spans.size).sum
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
