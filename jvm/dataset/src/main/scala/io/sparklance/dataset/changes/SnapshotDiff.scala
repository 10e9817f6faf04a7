package io.sparklance.dataset.changes

import scala.collection.mutable.ArrayBuilder

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.snapshot.{MetadataColumn, RowAddress, Snapshot}
import io.sparklance.table.Fragment
import io.sparklance.table.rowid.RowVersions

/** The difference of two snapshots, as addresses of rows. Rows that only moved are not in it.
  *
  * @param deleted
  *   rows of the earlier snapshot that the later one lacks
  * @param before
  *   updated rows, in the earlier snapshot
  * @param after
  *   updated rows, in the later snapshot
  * @param inserted
  *   rows of the later snapshot that the earlier one lacks
  */
final private[changes] case class SnapshotDiff(
    deleted: RowRanges,
    before: RowRanges,
    after: RowRanges,
    inserted: RowRanges
)

private[changes] object SnapshotDiff {

  /** Compares two versions. They identify rows by stable ids, and a row's content by the version that last
    * updated it.
    *
    * @param unrecorded
    *   makes the error for columns that were rewritten without a record of the changed rows
    */
  def of(earlier: Snapshot, later: Snapshot, changes: FragmentChanges)(
      unrecorded: => Throwable
  ): SnapshotDiff = {
    val (before, after) = rewritten(earlier, later, changes.rewritten, () => unrecorded)
    if (changes.gone.isEmpty || changes.arrived.isEmpty)
      SnapshotDiff(addresses(changes.gone), before, after, addresses(changes.arrived))
    else {
      val moved = matched(RowList.of(earlier, changes.gone), RowList.of(later, changes.arrived))
      moved.copy(before = moved.before.union(before), after = moved.after.union(after))
    }
  }

  /** Finds rows by their ids in both lists. */
  private def matched(gone: RowList, arrived: RowList): SnapshotDiff = {
    val table = new IdTable(arrived.ids)
    val isKnown = new Array[Boolean](arrived.size)
    val (deleted, before, after) =
      (new Array[Long](gone.size), new Array[Long](gone.size), new Array[Long](gone.size))
    var deletions, updates, i = 0
    while (i < gone.size) {
      val at = table.position(gone.ids(i))
      if (at < 0) {
        deleted(deletions) = gone.addresses(i)
        deletions += 1
      } else {
        isKnown(at) = true
        if (gone.updated(i) != arrived.updated(at)) {
          before(updates) = gone.addresses(i)
          after(updates) = arrived.addresses(at)
          updates += 1
        }
      }
      i += 1
    }
    SnapshotDiff(
      RowList.ranges(deleted, deletions),
      RowList.ranges(before, updates),
      RowList.ranges(after, updates),
      unknown(arrived, isKnown)
    )
  }

  private def unknown(arrived: RowList, isKnown: Array[Boolean]): RowRanges = {
    val inserted = new ArrayBuilder.ofLong
    var i = 0
    while (i < arrived.size) {
      if (!isKnown(i)) inserted += arrived.addresses(i)
      i += 1
    }
    val found = inserted.result()
    RowList.ranges(found, found.length)
  }

  /** Returns the rows whose columns were changed in place: in the earlier and in the later snapshot. */
  private def rewritten(
      earlier: Snapshot,
      later: Snapshot,
      fragments: Vector[RewrittenFragment],
      unrecorded: () => Throwable
  ): (RowRanges, RowRanges) = {
    val changed = fragments.map { fragment =>
      val (old, now) =
        (RowList.lastUpdates(earlier, fragment.before), RowList.lastUpdates(later, fragment.after))
      val offsets = new ArrayBuilder.ofLong
      fragment.rows.ranges.foreach { range =>
        var offset = range.start
        while (offset < range.end) {
          if (old(offset) != now(offset)) offsets += offset
          offset += 1
        }
      }
      val found = offsets.result()
      if (found.isEmpty && fragment.replaces && !fragment.rows.isEmpty) throw unrecorded()
      fragment.after -> RowList.ranges(found, found.length)
    }
    // The fragment has the same id in both, so the rows have the same addresses.
    (addresses(changed), addresses(changed))
  }

  def addresses(rows: Vector[(Fragment, RowRanges)]): RowRanges = RowRanges.of(rows.flatMap {
    case (fragment, offsets) => offsets.relativeTo(-RowAddress.first(fragment.id)).ranges
  })
}

/** Positions of distinct row ids: a hash table with open addressing. */
final private[changes] class IdTable(ids: Array[Long]) {
  private val mask = Integer.highestOneBit(math.max(1, ids.length)) * 4 - 1
  private val slots = new Array[Int](mask + 1)

  {
    var i = 0
    while (i < ids.length) {
      slots(slot(ids(i))) = i + 1
      i += 1
    }
  }

  /** Returns the position of an id, or -1. */
  def position(id: Long): Int = slots(slot(id)) - 1

  /** Returns the slot with an id, or the free slot where it belongs. */
  private def slot(id: Long): Int = {
    val mixed = id * 0x9e3779b97f4a7c15L
    var at = (mixed >>> 32).toInt & mask
    while (slots(at) != 0 && ids(slots(at) - 1) != id) at = at + 1 & mask
    at
  }
}

/** Rows of a snapshot with stable ids: parallel arrays of their ids, addresses, and the versions that last
  * updated them.
  */
final private[changes] class RowList(
    val ids: Array[Long],
    val addresses: Array[Long],
    val updated: Array[Long]
) {
  def size: Int = ids.length
}

private[changes] object RowList {

  /** Most rows that are compared at once: three numbers of each are in memory. */
  final private val MaxRows = 1L << 28

  /** @param rows fragments of the snapshot, with offsets of rows */
  def of(snapshot: Snapshot, rows: Vector[(Fragment, RowRanges)]): RowList = {
    val count = rows.iterator.map(_._2.count).sum
    if (count > MaxRows)
      throw new UnsupportedLanceFeatureException(s"comparing $count rows that moved between versions")
    val list = new RowList(new Array(count.toInt), new Array(count.toInt), new Array(count.toInt))
    var next = 0
    rows.foreach { case (fragment, offsets) =>
      val stored = snapshot.physicalRows(fragment)
      val ids = snapshot.numbers(fragment, MetadataColumn.RowId).map(_.parse(stored)).getOrElse(
        throw new IllegalStateException(s"fragment ${fragment.id} has no stable row ids")
      )
      val updated = lastUpdates(snapshot, fragment)
      val first = RowAddress.first(fragment.id)
      offsets.ranges.foreach { range =>
        var offset = range.start
        while (offset < range.end) {
          list.ids(next) = ids(offset)
          list.addresses(next) = first | offset
          list.updated(next) = updated(offset)
          next += 1
          offset += 1
        }
      }
    }
    list
  }

  /** Returns the version that last updated each row of a fragment. */
  def lastUpdates(snapshot: Snapshot, fragment: Fragment): Long => Long =
    snapshot.numbers(fragment, MetadataColumn.RowLastUpdatedAtVersion)
      .fold[Long => Long](_ => RowVersions.Unknown) { source =>
        val versions = source.parse(snapshot.physicalRows(fragment))
        versions(_)
      }

  /** Returns the set of the first `count` addresses, which need not be in order. */
  def ranges(addresses: Array[Long], count: Int): RowRanges = {
    java.util.Arrays.sort(addresses, 0, count)
    val out = Vector.newBuilder[RowRange]
    var i = 0
    while (i < count) {
      val start = addresses(i)
      var end = start + 1
      i += 1
      while (i < count && addresses(i) <= end) {
        end = addresses(i) + 1
        i += 1
      }
      out += RowRange(start, end)
    }
    RowRanges.of(out.result())
  }
}
