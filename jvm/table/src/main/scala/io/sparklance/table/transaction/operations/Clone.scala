package io.sparklance.table.transaction.operations

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.proto.table.{BasePath, DataFragment}
import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.{Operation, TableState, Verdict}
import io.sparklance.table.{FeatureFlags, Manifest}

/** Creates a table or branch from a version of another. The files stay in place, and their root becomes a
  * base of the new table. The clone is the first version there, so it cannot conflict.
  */
private[transaction] object Clone {

  /** Flags that do not follow from the content. */
  private val kept = FeatureFlags.bits(FeatureFlags.StableRowIds, FeatureFlags.MixedFileVersions)

  def apply(source: TableState, clone: Operation.Clone): TableState = {
    if (!clone.message.isShallow) throw new UnsupportedLanceFeatureException("a deep clone")
    val message = source.manifest.message
    val base = BasePath(
      id = unused(message.basePaths),
      name = clone.message.refName,
      isDatasetRoot = true,
      path = clone.message.refPath
    )
    val cloned = message.copy(
      fragments = message.fragments.map(based(_, base.id)),
      basePaths = message.basePaths :+ base,
      branch = clone.message.branchName,
      readerFeatureFlags = message.readerFeatureFlags & kept,
      writerFeatureFlags = message.writerFeatureFlags & kept
    )
    val indices = Indices.changed(source.indexSection)(_.map(index =>
      index.copy(baseId = index.baseId.orElse(Some(base.id)))
    ))
    TableState(Manifest(cloned), indices)
  }

  def against(winning: Operation): Verdict = winning match {
    case other: Other => Reasons.unknown(other)
    case _: Append | _: Delete | _: Overwrite | _: CreateIndex | _: Rewrite | _: Merge | _: Restore |
        _: ReserveFragments | _: Update | _: Project | _: UpdateConfig | _: DataReplacement |
        _: Operation.Clone | _: UpdateBases =>
      Verdict.Compatible
  }

  /** Refers a fragment's files to a base, except those that have a base already. */
  private def based(fragment: DataFragment, base: Int): DataFragment = fragment.copy(
    files = fragment.files.map(file => file.copy(baseId = file.baseId.orElse(Some(base)))),
    deletionFile = fragment.deletionFile.map(file => file.copy(baseId = file.baseId.orElse(Some(base))))
  )

  private def unused(bases: Seq[BasePath]): Int = {
    val taken = bases.map(_.id).toSet
    Iterator.from(0).filterNot(taken).next()
  }
}
