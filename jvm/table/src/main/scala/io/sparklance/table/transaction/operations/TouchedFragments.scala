package io.sparklance.table.transaction.operations

import io.sparklance.proto.{table => pb}
import io.sparklance.table.transaction.{AffectedRows, Operation, Verdict}

/** The fragments that operations change, and the verdict if two change the same. */
private[operations] object TouchedFragments {

  def of(delete: Operation.Delete): Set[Long] = idsOf(delete.affected) ++ deletedBy(delete) ++
    delete.message.updatedFragments.map(_.id)

  def of(update: Operation.Update): Set[Long] = idsOf(update.affected) ++
    update.message.removedFragmentIds ++ update.message.updatedFragments.map(_.id)

  def of(rewrite: Operation.Rewrite): Set[Long] = rewrite.message.oldFragments.map(_.id).toSet ++
    rewrite.message.groups.flatMap(_.oldFragments).map(_.id)

  def of(replacement: Operation.DataReplacement): Set[Long] =
    replacement.message.replacements.map(_.fragmentId).toSet

  /** A conflict if there is a common fragment. */
  def common(losing: Set[Long], winning: Set[Long]): Verdict = {
    val both = losing.intersect(winning)
    Verdict.retryableIf(both.nonEmpty, s"both change ${named(both)}")
  }

  /** Verdict on rows to delete and rows that others deleted or moved. Different rows of the same files are
    * compatible, which is decided when the deletion files are merged.
    */
  def rows(losing: Set[Long], affected: Vector[AffectedRows], winning: Operation.Delete): Verdict =
    rows(losing, affected, of(winning), deletedBy(winning), winning.message.updatedFragments)

  def rows(losing: Set[Long], affected: Vector[AffectedRows], winning: Operation.Update): Verdict =
    rows(
      losing,
      affected,
      of(winning),
      winning.message.removedFragmentIds.toSet,
      winning.message.updatedFragments
    )

  private def rows(
      losing: Set[Long],
      affected: Vector[AffectedRows],
      winning: Set[Long],
      removed: Set[Long],
      updated: Seq[pb.DataFragment]
  ): Verdict = {
    val known = affected.map(rows => rows.asRead.id -> rows.asRead.message).toMap
    val changed = updated.filter(now => known.get(now.id).exists(!FieldFiles.same(_, now))).map(_.id).toSet
    common(losing -- known.keySet, winning).and(common(losing, removed ++ changed))
  }

  private def idsOf(affected: Vector[AffectedRows]): Set[Long] = affected.map(_.asRead.id).toSet

  private def deletedBy(delete: Operation.Delete): Set[Long] = delete.message.deletedFragmentIds.toSet

  private def named(ids: Set[Long]): String = {
    val some = ids.toVector.sorted.take(5).map(java.lang.Long.toUnsignedString).mkString(", ")
    s"fragment $some${if (ids.size > 5) " and others" else ""}"
  }
}
