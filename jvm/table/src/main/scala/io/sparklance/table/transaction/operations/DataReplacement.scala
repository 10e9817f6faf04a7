package io.sparklance.table.transaction.operations

import io.sparklance.LanceUsageException
import io.sparklance.proto.transaction.Transaction.{DataReplacementGroup, UpdateMode}
import io.sparklance.proto.{table => pb}
import io.sparklance.table.Manifest
import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.{Operation, TableState, Verdict}

/** Gives fragments new files for some columns, which replace the files with the same columns or are added. */
private[transaction] object DataReplacement {

  def apply(latest: TableState, replacement: Operation.DataReplacement): TableState = {
    val manifest = latest.manifest
    val groups = replacement.message.replacements
    val missing = TouchedFragments.of(replacement) -- manifest.message.fragments.map(_.id)
    if (missing.nonEmpty)
      throw new LanceUsageException(
        s"The table has no fragment ${missing.min}, whose data is to be replaced."
      )
    val byFragment = groups.groupBy(_.fragmentId)
    val fragments = manifest.message.fragments.map { fragment =>
      byFragment.get(fragment.id).fold(fragment) { files =>
        val changed = files.flatMap(_.newFile).foldLeft(fragment)(replaced)
        if (manifest.hasStableRowIds) RowLineage.updated(manifest, changed) else changed
      }
    }
    val pruned = groups.foldLeft(latest.indexSection) { (section, group) =>
      Indices.withoutFragments(section, fieldsOf(group), Set(group.fragmentId))
    }
    TableState(Manifest(FieldFiles.live(manifest.message.copy(fragments = fragments))), pruned)
  }

  def against(losing: Operation.DataReplacement, winning: Operation): Verdict = {
    val touched = TouchedFragments.of(losing)
    winning match {
      case Delete(message, _) => removed(touched, message.deletedFragmentIds.toSet)
      case Update(message, _, _) =>
        val moves = message.newFragments.nonEmpty && message.updateMode == UpdateMode.REWRITE_ROWS
        val stale = losing.message.replacements.exists { group =>
          message.updatedFragments.exists(_.id == group.fragmentId) &&
          (moves || fieldsOf(group).exists(message.fieldsModified.toSet))
        }
        removed(touched, message.removedFragmentIds.toSet)
          .and(Verdict.retryableIf(stale, "it replaces rows that were changed"))
      case CreateIndex(message) =>
        Verdict.retryableIf(
          losing.message.replacements.flatMap(fieldsOf).exists(message.newIndices.flatMap(_.fields).toSet),
          "it replaces a column that was indexed"
        )
      case rewrite: Rewrite => TouchedFragments.common(touched, TouchedFragments.of(rewrite))
      case Operation.DataReplacement(message) =>
        val same = for {
          a <- losing.message.replacements
          b <- message.replacements if a.fragmentId == b.fragmentId
        } yield fieldsOf(a).intersect(fieldsOf(b))
        Verdict.retryableIf(same.exists(_.nonEmpty), "both replace a column of the same fragment")
      case Project(message) =>
        val left = message.schema.map(_.id).toSet
        Verdict.incompatibleIf(
          losing.message.replacements.flatMap(fieldsOf).exists(!left(_)),
          "it replaces a column that was dropped"
        )
      case _: Merge => Reasons.newSchema
      case _: Overwrite | _: Restore => Reasons.replaced
      case other: Other => Reasons.unknown(other)
      case _: Append | _: ReserveFragments | _: UpdateConfig | _: Clone | _: UpdateBases =>
        Verdict.Compatible
    }
  }

  private def removed(touched: Set[Long], gone: Set[Long]): Verdict = Verdict.incompatibleIf(
    touched.exists(gone),
    "it replaces data of a fragment that was removed"
  )

  private def fieldsOf(group: DataReplacementGroup): Set[Int] =
    group.newFile.toSeq.flatMap(_.fields).filter(_ >= 0).toSet

  private def replaced(fragment: pb.DataFragment, file: pb.DataFile): pb.DataFragment = {
    val fields = file.fields.filter(_ >= 0).toSet
    val at = fragment.files.indexWhere(old =>
      old.fields == file.fields && old.fileMajorVersion == file.fileMajorVersion &&
        old.fileMinorVersion == file.fileMinorVersion
    )
    if (at >= 0) {
      val old = fragment.files(at)
      val swapped = old.copy(path = file.path, fileSizeBytes = file.fileSizeBytes, baseId = file.baseId)
      fragment.copy(files = fragment.files.updated(at, swapped))
    } else {
      val invalidated = fragment.files.map { old =>
        old.copy(fields = old.fields.map(id => if (fields(id)) FieldFiles.Tombstone else id))
      }
      fragment.copy(files = invalidated :+ file)
    }
  }
}
