package io.sparklance.dataset.changes

import io.sparklance.table.Fragment
import io.sparklance.table.transaction.{Operation, Transaction}

/** The effect of a commit on rows, as far as its transaction tells. */
sealed private[sparklance] trait CommitEffect extends Product with Serializable

private[sparklance] object CommitEffect {

  /** No fragment changes: indices, settings. */
  case object NoRows extends CommitEffect

  /** Rows move to other fragments and stay as they are: compaction. */
  case object Moved extends CommitEffect

  /** Only the columns' names, order or nullability change, or columns go. */
  case object Columns extends CommitEffect

  /** Rows are added, and nothing else happens.
    *
    * @param fragments
    *   as they were committed, without ids
    */
  final case class Appended(fragments: Vector[Fragment]) extends CommitEffect

  /** Columns are added or change their types; rows may be added. */
  case object Merged extends CommitEffect

  /** Rows are deleted, and nothing else happens. */
  case object Deleted extends CommitEffect

  /** Rows are changed, and perhaps added and deleted. */
  case object Changed extends CommitEffect

  /** All rows are replaced, and perhaps the columns.
    *
    * @param by
    *   name of the operation
    */
  final case class Replaced(by: String) extends CommitEffect

  /** The table begins: all rows are new. */
  case object Began extends CommitEffect

  /** The operation is unknown. */
  final case class Other(name: String) extends CommitEffect

  /** There is no record of the transaction. */
  case object Unrecorded extends CommitEffect

  def of(version: Long, transaction: Transaction): CommitEffect = transaction.operation match {
    case Operation.Append(fragments) => Appended(fragments)
    case _: Operation.CreateIndex | _: Operation.ReserveFragments | _: Operation.UpdateConfig |
        _: Operation.UpdateBases =>
      NoRows
    case _: Operation.Rewrite => Moved
    case _: Operation.Project => Columns
    case _: Operation.Merge => Merged
    case _: Operation.Delete => Deleted
    case update: Operation.Update => ofUpdate(update)
    case _: Operation.DataReplacement => Changed
    case overwrite: Operation.Overwrite => if (version == 1) Began else Replaced(overwrite.name)
    case restore: Operation.Restore => Replaced(restore.name)
    case _: Operation.Clone => Began
    case Operation.Other(name) => Other(name)
  }

  /** An update that touches no existing fragment only adds rows. */
  private def ofUpdate(update: Operation.Update): CommitEffect = {
    val message = update.message
    if (message.removedFragmentIds.isEmpty && message.updatedFragments.isEmpty) Appended(update.added)
    else Changed
  }
}
