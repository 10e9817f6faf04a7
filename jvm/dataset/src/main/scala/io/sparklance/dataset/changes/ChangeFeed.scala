package io.sparklance.dataset.changes

import io.sparklance.LanceUsageException
import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset

/** The changes that commits have made to rows, derived from the manifests of their versions. Fragments that a
  * commit left as they were are not opened.
  *
  * @param dataset
  *   the table at the version whose columns the changes are shown with
  * @param log
  *   the versions to read, perhaps later ones, too
  */
final private[sparklance] class ChangeFeed(dataset: Dataset, range: VersionRange, log: VersionLog) {
  def this(dataset: Dataset, range: VersionRange) = this(dataset, range, new VersionLog(dataset))

  private lazy val steps = log.steps(range)

  private lazy val schemas: SchemaSteps = {
    val end = log.open(range.end)
    val later =
      if (end.manifest.message.fields == dataset.manifest.message.fields) Vector.empty
      else (range.end + 1 to dataset.version).map(log.step).toVector
    SchemaSteps.of(log, steps ++ later)
  }

  /** Returns the changes of every commit, in the order of the commits. In each, deletions and earlier states
    * of updated rows come first.
    */
  def all: Vector[ChangedRows] = steps.flatMap(of)

  /** Returns the differences between the version before the range and its end. */
  def net: Vector[ChangedRows] = {
    val end = log.open(range.end)
    if (steps.forall(step => addsOnly(step.effect)))
      all.map(_.copy(version = end.version, timestamp = end.timestamp))
    else if (begins(steps.head)) whole(end)
    else between(log.open(range.start - 1), end, range.toString)
  }

  private def of(step: VersionStep): Vector[ChangedRows] = step.effect match {
    case CommitEffect.NoRows | CommitEffect.Moved | CommitEffect.Columns => Vector.empty
    case CommitEffect.Began => whole(log.open(step.version))
    case CommitEffect.Appended(fragments) if fragments.isEmpty => Vector.empty
    case CommitEffect.Appended(fragments) =>
      val later = log.open(step.version)
      val paths = fragments.flatMap(_.files).map(_.path).toSet
      val added = later.fragments.filter(_.files.exists(file => paths(file.path)))
      parts(
        later,
        later,
        SnapshotDiff(
          RowRanges.empty,
          RowRanges.empty,
          RowRanges.empty,
          SnapshotDiff.addresses(added.map(f => f -> FragmentChanges.rowsOf(later, f)))
        )
      )
    case CommitEffect.Merged | CommitEffect.Deleted | CommitEffect.Changed | CommitEffect.Replaced(_) |
        CommitEffect.Other(_) | CommitEffect.Unrecorded =>
      if (begins(step)) whole(log.open(step.version))
      else between(log.open(step.version - 1), log.open(step.version), s"version ${step.version}")
  }

  /** Returns rows of a version as insertions.
    *
    * @param fragments
    *   positions of the fragments that have them
    */
  def inserted(version: Dataset, from: Int, until: Int): Vector[ChangedRows] = {
    val rows = version.fragments.slice(from, until).map(f => f -> FragmentChanges.rowsOf(version, f))
    val none = RowRanges.empty
    parts(version, version, SnapshotDiff(none, none, none, SnapshotDiff.addresses(rows)))
  }

  /** Whether a commit adds rows at most, so that no later one of its kind undoes it. */
  private def addsOnly(effect: CommitEffect): Boolean = effect match {
    case CommitEffect.NoRows | CommitEffect.Moved | CommitEffect.Columns | CommitEffect.Appended(_) |
        CommitEffect.Began =>
      true
    case CommitEffect.Merged | CommitEffect.Deleted | CommitEffect.Changed | CommitEffect.Replaced(_) |
        CommitEffect.Other(_) | CommitEffect.Unrecorded =>
      false
  }

  private def begins(step: VersionStep): Boolean = step.version == 1 || step.effect == CommitEffect.Began

  /** Returns all rows of a version as insertions. */
  private def whole(version: Dataset): Vector[ChangedRows] =
    inserted(version, 0, version.fragments.size)

  private def between(earlier: Dataset, later: Dataset, what: String): Vector[ChangedRows] = {
    val changes = FragmentChanges.of(earlier, later, schemas.between(earlier, later))
    val isKept = changes.gone.isEmpty && changes.rewritten.isEmpty
    if (!isKept && !(earlier.hasStableRowIds && later.hasStableRowIds)) throw unidentified(what)
    parts(earlier, later, SnapshotDiff.of(earlier, later, changes)(unrecorded(what)))
  }

  private def parts(earlier: Dataset, later: Dataset, diff: SnapshotDiff): Vector[ChangedRows] = Vector(
    (ChangeKind.Delete, earlier, diff.deleted),
    (ChangeKind.UpdatePreimage, earlier, diff.before),
    (ChangeKind.UpdatePostimage, later, diff.after),
    (ChangeKind.Insert, later, diff.inserted)
  ).collect {
    case (kind, version, rows) if !rows.isEmpty =>
      ChangedRows(kind, shown(version, rows), rows, later.version, later.timestamp)
  }

  /** Returns a version with the columns of the read, and only the fragments that have some of the rows. */
  private def shown(version: Dataset, rows: RowRanges): Dataset = {
    val fields = schemas.between(version, dataset)
    val ids = version.fragmentsOf(rows).map(fields.applyTo)
    version.showing(dataset.manifest, ids, s"changes of $range")
  }

  private def unidentified(what: String) = new LanceUsageException(
    s"In $what of the table at ${dataset.root} rows were changed or deleted, but the table has no stable row ids, by which changed rows are " +
      "recognized. Only ranges of versions that add rows can be read. For later changes: CALL lance.system.enable_stable_row_ids('<table>')."
  )

  private def unrecorded(what: String) = new LanceUsageException(
    s"In $what of the table at ${dataset.root} columns of existing rows were replaced without a record of the rows that changed. Read the " +
      "changes before and after that, and compare the two versions themselves."
  )
}
