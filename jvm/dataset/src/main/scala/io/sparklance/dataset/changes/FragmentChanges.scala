package io.sparklance.dataset.changes

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.table.Fragment

/** The rows that are at other places in a later snapshot, by their fragments and offsets. Fragments that both
  * have alike do not occur.
  *
  * @param gone
  *   live rows of the earlier snapshot that are not live at the same place in the later one
  * @param arrived
  *   live rows of the later snapshot that were not live at the same place in the earlier one
  * @param rewritten
  *   fragments some of whose columns are in other files, with the rows that are live in both
  */
final private[changes] case class FragmentChanges(
    gone: Vector[(Fragment, RowRanges)],
    arrived: Vector[(Fragment, RowRanges)],
    rewritten: Vector[RewrittenFragment]
)

/** A fragment before and after some of its columns were written to other files.
  *
  * @param rows
  *   offsets of the rows that are live in both
  * @param replaces
  *   whether one of these columns is in both snapshots; a column that only the later one has changes no row
  *   by itself
  */
final private[changes] case class RewrittenFragment(
    before: Fragment,
    after: Fragment,
    rows: RowRanges,
    replaces: Boolean
)

private[changes] object FragmentChanges {

  /** @param fields
    *   the map from the fields of the earlier snapshot to those of the later one
    */
  def of(earlier: Snapshot, later: Snapshot, fields: FieldMap): FragmentChanges = {
    val before = earlier.fragments.iterator.map(f => f.id -> f).toMap
    val after = later.fragments.iterator.map(_.id).toSet
    val live = later.schema.preOrder.map(_.id).toSet
    val pairs = later.fragments.flatMap(f => before.get(f.id).map(_ -> f)).filterNot { case (a, b) =>
      same(a, b)
    }
    FragmentChanges(
      some(earlier.fragments.filterNot(f => after(f.id)).map(f => f -> rowsOf(earlier, f)) ++
        pairs.map { case (a, b) => a -> rowsOf(earlier, a).intersect(rowsOf(later, b).complement) }),
      some(pairs.map { case (a, b) => b -> rowsOf(later, b).intersect(rowsOf(earlier, a).complement) } ++
        later.fragments.filterNot(f => before.contains(f.id)).map(f => f -> rowsOf(later, f))),
      for {
        (a, b) <- pairs
        (old, now) = (places(fields.applyTo(a), live), places(b, live))
        if old != now
      } yield RewrittenFragment(
        a,
        b,
        rowsOf(earlier, a).intersect(rowsOf(later, b)),
        replaces = fields.ids.values.exists(id => old.get(id) != now.get(id))
      )
    )
  }

  private def same(a: Fragment, b: Fragment): Boolean =
    a.message.files == b.message.files && a.message.deletionFile == b.message.deletionFile

  private def some(rows: Vector[(Fragment, RowRanges)]): Vector[(Fragment, RowRanges)] =
    rows.filterNot(_._2.isEmpty)

  /** Returns the offsets of the live rows of a fragment. */
  def rowsOf(snapshot: Snapshot, fragment: Fragment): RowRanges = {
    val all = RowRange(0, snapshot.physicalRows(fragment))
    snapshot.deletionVector(fragment).fold(RowRanges(all))(_.rows.complement.intersect(all))
  }

  /** Returns the file and the column of each field that a fragment stores. */
  private def places(fragment: Fragment, live: Set[Int]): Map[Int, (Option[Int], String, Int)] =
    (for {
      file <- fragment.files
      (id, column) <- file.fieldIds.zip(file.columnIndices)
      if column >= 0 && live(id)
    } yield id -> ((file.baseId, file.path, column))).toMap
}
