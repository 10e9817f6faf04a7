package io.sparklance.dataset

import io.sparklance.table.transaction.{AffectedRows, Operation}
import io.sparklance.table.{DataFile, Fragment}

/** The data files that a commit adds to a table and takes from it, as known before it is made.
  *
  * @param rowsAdded
  *   rows of new fragments, moved rows included
  */
final private[sparklance] case class FileChanges(
    added: Vector[DataFile],
    removed: Vector[DataFile],
    rowsAdded: Long
) {
  def bytesAdded: Long = added.flatMap(_.size).sum
  def bytesRemoved: Long = removed.flatMap(_.size).sum
}

private[sparklance] object FileChanges {

  /** @param before the version that the operation was planned on; none if it makes the table */
  def of(operation: Operation, before: Option[Dataset]): FileChanges = {
    val old = before.fold(Vector.empty[Fragment])(_.fragments)
    operation match {
      case Operation.Append(fragments) => adding(fragments)
      case overwrite: Operation.Overwrite => adding(overwrite.fragments, removed = old)
      case rewrite: Operation.Rewrite => adding(rewrite.added, removed = rewritten(rewrite))
      case Operation.Delete(_, affected) => adding(Vector.empty, removed = emptied(affected, before))
      case update: Operation.Update =>
        val now = update.message.updatedFragments.map(Fragment(_)).toVector ++
          rewritten(update.affected, before)
        val ids = now.map(_.id).toSet
        val inPlace = difference(old.filter(f => ids(f.id)), now)
        val moved = adding(update.added, removed = emptied(update.affected, before))
        moved.copy(added = moved.added ++ inPlace.added, removed = moved.removed ++ inPlace.removed)
      case Operation.Merge(message, _) => difference(old, message.fragments.map(Fragment(_)).toVector)
      case Operation.Restore(version) =>
        before.fold(none) { table =>
          difference(old, Dataset.open(table.store, table.root, Some(version)).fragments)
        }
      case Operation.DataReplacement(message) =>
        none.copy(added = message.replacements.flatMap(_.newFile).map(DataFile(_)).toVector)
      case _: Operation.CreateIndex | _: Operation.ReserveFragments | _: Operation.Project |
          _: Operation.UpdateConfig | _: Operation.Clone | _: Operation.UpdateBases | _: Operation.Other =>
        none
    }
  }

  private val none = FileChanges(Vector.empty, Vector.empty, 0)

  private def adding(added: Vector[Fragment], removed: Vector[Fragment] = Vector.empty): FileChanges =
    FileChanges(added.flatMap(_.files), removed.flatMap(_.files), rows(added))

  /** A file is known by its place: it stays the same when some of its columns no longer count. */
  private def difference(before: Vector[Fragment], after: Vector[Fragment]): FileChanges = {
    val old = before.flatMap(_.files).map(place).toSet
    val now = after.flatMap(_.files).map(place).toSet
    val added = after.filterNot(_.files.exists(file => old(place(file))))
    FileChanges(
      after.flatMap(_.files).filterNot(file => old(place(file))),
      before.flatMap(_.files).filterNot(file => now(place(file))),
      rows(added)
    )
  }

  private def place(file: DataFile): (Option[Int], String) = (file.baseId, file.path)

  private def rows(fragments: Vector[Fragment]): Long = fragments.flatMap(_.physicalRows).sum

  private def rewritten(rewrite: Operation.Rewrite): Vector[Fragment] =
    rewrite.message.groups.flatMap(_.oldFragments).map(Fragment(_)).toVector

  /** The fragments that get column files. */
  private def rewritten(affected: Vector[AffectedRows], before: Option[Dataset]): Vector[Fragment] = {
    val live = before.fold(Set.empty[Int])(_.schema.preOrder.map(_.id).toSet)
    for (rows <- affected; now <- rows.columns) yield rows.asRead.withFile(now.file).keeping(live)
  }

  /** The fragments that have no rows left. */
  private def emptied(affected: Vector[AffectedRows], before: Option[Dataset]): Vector[Fragment] =
    before.fold(Vector.empty[Fragment]) { table =>
      affected.filter { rows =>
        table.deletedRows(rows.asRead) + rows.rows.cardinality >= rows.physicalRows
      }.map(_.asRead)
    }
}
