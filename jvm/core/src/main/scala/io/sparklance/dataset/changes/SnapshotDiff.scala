package io.sparklance.dataset.changes

import scala.collection.mutable.ArrayBuilder

import io.sparklance.data.RowRanges
import io.sparklance.dataset.snapshot.{RowAddress, Snapshot}
import io.sparklance.table.Fragment

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
