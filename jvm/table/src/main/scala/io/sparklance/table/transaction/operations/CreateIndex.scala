package io.sparklance.table.transaction.operations

import io.sparklance.proto.{table => pb}
import io.sparklance.table.index.RoaringSet
import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.{Operation, TableState, Verdict}

/** Adds index segments and drops others. */
private[transaction] object CreateIndex {

  def apply(latest: TableState, index: Operation.CreateIndex): TableState = {
    val added = index.message.newIndices
    val gone = (index.message.removedIndices ++ added).map(_.uuid).toSet
    val next = Indices.changed(latest.indexSection)(_.filterNot(entry => gone(entry.uuid)) ++ added)
    // A concurrent commit may have dropped an indexed column.
    Indices.onFields(latest.copy(indexSection = next))
  }

  def against(losing: Operation.CreateIndex, winning: Operation): Verdict = winning match {
    case index: Operation.CreateIndex => indices(losing, index)
    case Rewrite(message) =>
      val moved = TouchedFragments.of(Rewrite(message))
      Verdict.retryableIf(losing.message.newIndices.exists(covers(_, moved)), "indexed rows were moved")
    case DataReplacement(message) =>
      val replaced = message.replacements.flatMap(_.newFile.toSeq.flatMap(_.fields)).toSet
      Verdict.retryableIf(
        losing.message.newIndices.flatMap(_.fields).exists(replaced),
        "an indexed column was replaced"
      )
    case Update(message, _, _) =>
      Verdict.retryableIf(
        losing.message.newIndices.flatMap(_.fields).exists(message.fieldsModified.toSet),
        "an indexed column was changed in place"
      )
    case _: Merge =>
      Verdict.retryableIf(
        losing.message.newIndices.nonEmpty,
        "indexed columns may have been rewritten"
      )
    case _: Overwrite | _: Restore => Reasons.replaced
    case other: Other => Reasons.unknown(other)
    case _: Append | _: Delete | _: ReserveFragments | _: Project | _: UpdateConfig | _: Clone |
        _: UpdateBases =>
      Verdict.Compatible
  }

  /** Whether a segment covers one of `fragments`. A segment without recorded coverage may cover any. */
  def covers(index: pb.IndexMetadata, fragments: Set[Long]): Boolean =
    index.fragmentBitmap.isEmpty || RoaringSet.parse(index.fragmentBitmap).intersects(fragments)

  private def indices(losing: Operation.CreateIndex, winning: Operation.CreateIndex): Verdict = {
    val (added, removed) = (losing.message.newIndices, losing.message.removedIndices)
    val (otherAdded, otherRemoved) = (winning.message.newIndices, winning.message.removedIndices)
    val sameName = names(added).intersect(names(otherAdded)).nonEmpty
    val extendsDropped = names(added).diff(names(removed)).intersect(names(otherRemoved)).nonEmpty ||
      names(otherAdded).diff(names(otherRemoved)).intersect(names(removed)).nonEmpty
    val replacing = names(added) ++ names(otherAdded)
    val sameSource = removed.exists(r => replacing(r.name) && otherRemoved.exists(_.uuid == r.uuid))
    Verdict.retryableIf(sameName || extendsDropped || sameSource, "both change the same index")
  }

  private def names(indices: Seq[pb.IndexMetadata]): Set[String] = indices.map(_.name).toSet
}
