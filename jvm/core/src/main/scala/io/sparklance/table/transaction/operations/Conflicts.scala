package io.sparklance.table.transaction.operations

import io.sparklance.table.transaction.{Operation, Verdict, operations}

/** The conflict matrix. docs/transactions.md shows it, and a test compares the two. */
private[sparklance] object Conflicts {
  import Operation._

  def check(mine: Operation, theirs: Operation): Verdict =
    nulls(mine, theirs).and(metadata(mine, theirs)).and(own(mine, theirs))

  private def own(mine: Operation, theirs: Operation): Verdict = mine match {
    case _: Append => operations.Append.against(theirs)
    case delete: Delete => operations.Delete.against(delete, theirs)
    case overwrite: Overwrite => operations.Overwrite.against(overwrite, theirs)
    case index: CreateIndex => operations.CreateIndex.against(index, theirs)
    case rewrite: Rewrite => operations.Rewrite.against(rewrite, theirs)
    case _: Merge => operations.Merge.against(theirs)
    case _: Restore => operations.Restore.against(theirs)
    case _: ReserveFragments => operations.ReserveFragments.against(theirs)
    case update: Update => operations.Update.against(update, theirs)
    case _: Project => operations.Project.against(theirs)
    case config: UpdateConfig => operations.UpdateConfig.against(config, theirs)
    case replacement: DataReplacement => operations.DataReplacement.against(replacement, theirs)
    case _: Clone => operations.Clone.against(theirs)
    case bases: UpdateBases => operations.UpdateBases.against(bases, theirs)
    case Other(name) => Verdict.Incompatible(s"nothing is known of $name")
  }

  /** Conflict of a schema that was validated against existing values with new values. */
  private def nulls(mine: Operation, theirs: Operation): Verdict = Verdict.retryableIf(
    mayForbidNulls(mine) && suppliesValues(theirs) || suppliesValues(mine) && mayForbidNulls(theirs),
    "one changes which columns may be null, the other brings values"
  )

  /** Conflict over metadata: a merge replaces the schema, a restore the manifest, and either may undo a
    * change of metadata.
    */
  private def metadata(mine: Operation, theirs: Operation): Verdict = (mine, theirs) match {
    case (_: Merge, config: UpdateConfig) => merged(config)
    case (config: UpdateConfig, _: Merge) => merged(config)
    case (_: Restore, config: UpdateConfig) => restored(config)
    case (config: UpdateConfig, _: Restore) => restored(config)
    case _ => Verdict.Compatible
  }

  private def merged(config: UpdateConfig) = Verdict.retryableIf(
    operations.UpdateConfig.changesSchema(config),
    "one replaces the schema, the other changes metadata of it"
  )

  private def restored(config: UpdateConfig) = Verdict.incompatibleIf(
    operations.UpdateConfig.changesSchema(config),
    "one brings an old schema back, the other changes metadata of the present one"
  )

  private def mayForbidNulls(operation: Operation): Boolean = operation match {
    case Project(message) => !message.preservesNullability
    case Merge(message, _) => !message.preservesNullability
    case _ => false
  }

  private def suppliesValues(operation: Operation): Boolean = operation match {
    case _: Append | _: Update | _: DataReplacement => true
    case _ => false
  }
}
