package io.sparklance.table.transaction.operations

import io.sparklance.table.transaction.{Operation, Verdict, operations}

/** The conflict matrix: `winning` is committed, and `losing` is to be committed after it, if both can hold.
  * docs/design/conflicts.md shows the matrix, and a test compares the two.
  */
private[sparklance] object Conflicts {
  import Operation._

  def check(losing: Operation, winning: Operation): Verdict =
    nulls(losing, winning).and(metadata(losing, winning)).and(own(losing, winning))

  private def own(losing: Operation, winning: Operation): Verdict = losing match {
    case _: Append => operations.Append.against(winning)
    case delete: Delete => operations.Delete.against(delete, winning)
    case overwrite: Overwrite => operations.Overwrite.against(overwrite, winning)
    case index: CreateIndex => operations.CreateIndex.against(index, winning)
    case rewrite: Rewrite => operations.Rewrite.against(rewrite, winning)
    case _: Merge => operations.Merge.against(winning)
    case _: Restore => operations.Restore.against(winning)
    case _: ReserveFragments => operations.ReserveFragments.against(winning)
    case update: Update => operations.Update.against(update, winning)
    case _: Project => operations.Project.against(winning)
    case config: UpdateConfig => operations.UpdateConfig.against(config, winning)
    case replacement: DataReplacement => operations.DataReplacement.against(replacement, winning)
    case _: Clone => operations.Clone.against(winning)
    case bases: UpdateBases => operations.UpdateBases.against(bases, winning)
    case Other(name) => Verdict.Incompatible(s"nothing is known of $name")
  }

  /** Conflict of a schema that was validated against existing values with new values. */
  private def nulls(losing: Operation, winning: Operation): Verdict = Verdict.retryableIf(
    mayForbidNulls(losing) && suppliesValues(winning) || suppliesValues(losing) && mayForbidNulls(winning),
    "one changes which columns may be null, the other brings values"
  )

  /** Conflict over metadata: a merge replaces the schema, a restore the manifest, and either may undo a
    * change of metadata.
    */
  private def metadata(losing: Operation, winning: Operation): Verdict = (losing, winning) match {
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
