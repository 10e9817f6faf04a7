package io.sparklance.index.vector

import java.util.Arrays

import io.sparklance.dataset.snapshot.{MetadataColumn, RowAddress, Snapshot}
import io.sparklance.index.SegmentFiles
import io.sparklance.index.vector.graph.NodeSet
import io.sparklance.table.deletion.DeletionVector
import io.sparklance.table.index.RoaringSet
import io.sparklance.table.rowid.{RowIdIndex, RowIdSequence}
import io.sparklance.table.{Fragment, VersionIdentity}
import io.sparklance.{LanceFormatException, WeightedCache}

/** The rows that a segment may return: live rows of the fragments that it covers, and of those the ones among
  * which to search.
  */
sealed private[index] trait RowMask {

  /** Returns the address of a row, or -1 if it must not be returned. */
  def address(id: Long): Long

  /** Returns the nodes whose rows may be returned; None if all may.
    *
    * @param ids
    *   row ids by the numbers of the nodes
    */
  final def among(ids: Array[Long], nodes: Int): Option[NodeSet] = {
    val bits = new Array[Long]((nodes + 63) >> 6)
    var count = 0
    var node = 0
    while (node < nodes) {
      if (address(ids(node)) >= 0) {
        bits(node >> 6) |= 1L << node
        count += 1
      }
      node += 1
    }
    Option.when(count < nodes)(NodeSet(bits, count))
  }
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
    rows.ids.fold[RowMask](addresses)(new RowIdMask(_, addresses))
  }

  private def covered(snapshot: Snapshot, fragments: RoaringSet): CoveredRows = {
    val covered = snapshot.fragments.filter(f => fragments.contains(f.id))
    CoveredRows(
      covered.iterator.map { fragment =>
        fragment.id -> LiveFragment(snapshot.physicalRows(fragment), snapshot.deletionVector(fragment))
      }.toMap,
      Option.when(snapshot.hasStableRowIds)(CoveredIds.of(covered.map(f => f.id -> ids(snapshot, f))))
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
  *   their stable row ids; None if the table has no such ids
  */
final private case class CoveredRows(
    fragments: Map[Long, LiveFragment],
    ids: Option[CoveredIds]
) {

  /** Approximate bytes in memory. */
  def weight: Long = 128L * (1 + fragments.size) +
    fragments.valuesIterator.flatMap(_.deleted).map(4L * _.cardinality).sum +
    ids.fold(0L)(_.weight)
}

/** Stable row ids of fragments.
  *
  * @param firsts
  *   address of the first row of each fragment
  * @param sequences
  *   their ids
  */
final private class CoveredIds(firsts: Array[Long], sequences: Array[RowIdSequence], index: RowIdIndex) {

  def weight: Long = index.weight + 8L * firsts.length + sequences.iterator.map(_.weight).sum

  /** Returns the address of a row that passes a mask, or -1. An updated row is in several fragments, in one
    * of them alive.
    */
  def address(id: Long, mask: RowMask): Long = index.firstOf(id) { fragment =>
    val offset = sequences(fragment).offsetOf(id)
    if (offset < 0) -1 else mask.address(firsts(fragment) | offset)
  }
}

private object CoveredIds {

  /** @param fragments their ids and the row ids in them */
  def of(fragments: Vector[(Long, RowIdSequence)]): CoveredIds = new CoveredIds(
    fragments.iterator.map(f => RowAddress.first(f._1)).toArray,
    fragments.iterator.map(_._2).toArray,
    RowIdIndex.of(fragments.iterator.map(_._2))
  )
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

/** Finds rows by their stable ids. */
final private class RowIdMask(ids: CoveredIds, addresses: AddressMask) extends RowMask {
  def address(id: Long): Long = if (id < 0) -1 else ids.address(id, addresses)
}
