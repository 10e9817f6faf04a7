package io.sparklance.spark.streams

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.changes.{CommitEffect, VersionLog, VersionStep}
import io.sparklance.schema.Field
import io.sparklance.spark.options.StreamOptions

/** Commits that a stream passes over, and commits that stop it.
  *
  * @param begun
  *   the table when the query started; the rows have its columns
  */
final private[sparklance] class StreamPolicy(begun: Dataset, options: StreamOptions) {

  /** Whether a stream of appended rows reads the rows that a commit has added. Fails if the commit changed
    * other rows, and no option passes over that.
    */
  def reads(step: VersionStep, log: VersionLog): Boolean = {
    checkColumns(step, log)
    step.effect match {
      case CommitEffect.Appended(_) | CommitEffect.Merged | CommitEffect.Began => true
      case CommitEffect.NoRows | CommitEffect.Moved | CommitEffect.Columns => false
      case CommitEffect.Deleted =>
        passOver(
          step,
          "deleted rows",
          options.ignoresDeletes || options.skipsChanges,
          "ignoreDeletes or skipChangeCommits"
        )
      case CommitEffect.Changed => passOver(step, "changed rows", options.skipsChanges, "skipChangeCommits")
      case CommitEffect.Replaced(by) =>
        passOver(step, s"replaced all rows ($by)", options.skipsChanges, "skipChangeCommits")
      case CommitEffect.Other(name) =>
        throw unknown(step, s"operation $name, which this release does not know")
      case CommitEffect.Unrecorded => throw unknown(step, "a commit whose transaction is not recorded")
    }
  }

  /** Fails if a version of the running query changed columns that its rows have. */
  def checkColumns(step: VersionStep, log: VersionLog): Unit = step.effect match {
    case CommitEffect.Columns | CommitEffect.Merged | CommitEffect.Replaced(_) | CommitEffect.Other(_) |
        CommitEffect.Unrecorded =>
      if (step.version > begun.version) {
        val now = log.open(step.version).schema.fields
        if (now != begun.schema.fields && !(options.allowsColumns && extend(now))) throw columns(step, now)
      }
    case CommitEffect.NoRows | CommitEffect.Moved | CommitEffect.Appended(_) | CommitEffect.Deleted |
        CommitEffect.Changed | CommitEffect.Began =>
      ()
  }

  /** Whether columns are those of the stream, and others that may be null. */
  private def extend(now: Vector[Field]): Boolean = {
    val known = begun.schema.fields
    val ids = known.map(_.id).toSet
    now.filter(field => ids(field.id)) == known && now.filterNot(field => ids(field.id)).forall(_.nullable)
  }

  private def passOver(step: VersionStep, what: String, isIgnored: Boolean, cure: String): Boolean = {
    if (!isIgnored)
      throw new LanceUsageException(
        s"Version ${step.version} of the table at ${begun.root} $what, but the stream returns appended rows only. Read the change feed with " +
          s"option 'readChangeFeed', or pass over such versions with option $cure."
      )
    false
  }

  private def columns(step: VersionStep, now: Vector[Field]) = new LanceUsageException(
    s"Version ${step.version} of the table at ${begun.root} changed its columns, to ${now.map(_.name).mkString(", ")}, while a stream reads it. " +
      "Start the query again: it continues there with the new columns. Option allowAddedColumns lets a running query pass over new columns."
  )

  private def unknown(step: VersionStep, what: String) = new LanceUsageException(
    s"Version ${step.version} of the table at ${begun.root} was made by $what, so the stream cannot tell its rows. Start another query, with " +
      s"another checkpoint and option startingVersion = ${step.version + 1}."
  )
}
