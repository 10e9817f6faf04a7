package io.sparklance.dataset.compaction

import scala.annotation.tailrec
import scala.util.{Failure, Success, Try}

import io.sparklance.data.{FileVersion, RowRanges}
import io.sparklance.dataset.scan.{ScanPlan, Split, SplitTarget}
import io.sparklance.dataset.write.WriteSchema
import io.sparklance.dataset.{Dataset, WriteOutcome}
import io.sparklance.table.index.{IndexKinds, IndexSegments}
import io.sparklance.table.transaction.Operation
import io.sparklance.table.{Fragment, Versions, WriteId}
import io.sparklance.{CommitConflictException, LanceUsageException, UnsupportedLanceFeatureException}

/** Joins small fragments and rewrites fragments with many deleted rows, without changing a row: plan, rewrite
  * the plan's groups anywhere, and commit the finished groups.
  */
private[sparklance] object Compaction {

  /** @param options options, such as those of the table's config: [[CompactionOptions.of]] */
  def plan(dataset: Dataset, options: CompactionOptions): CompactionPlan = dataset.locating {
    val version = options.fileVersion.getOrElse(dataset.fileVersion)
    val groups = CompactionPlanner.groups(factsOf(dataset, options), options)
    if (groups.nonEmpty) {
      WriteSchema.refuseUnwritable(dataset.schema, version)
      if (!options.rewritesAll) refuseOldFiles(dataset)
    }
    CompactionPlan(dataset, dataset.schema, version, groups)
  }

  /** Returns a task for each group of a plan, to run in any order. */
  def tasks(plan: CompactionPlan, options: CompactionOptions, write: WriteId): Vector[RewriteTask] = {
    val dataset = plan.dataset
    val lineage = if (dataset.hasStableRowIds) LineageCollector.columns else Vector.empty
    val selection = RowRanges.of(plan.groups.flatMap(_.fragments).map(f => dataset.addresses(f.fragment)))
    val all =
      ScanPlan.splits(dataset, plan.schema.fields ++ lineage, SplitTarget.Rows(Long.MaxValue), selection)
    val byFragment = all.flatMap(_.tasks).groupBy(_.fragmentId)
    plan.groups.map { group =>
      RewriteTask(
        Split(group.fragments.flatMap(f => byFragment(f.fragment.id))),
        plan.schema,
        plan.version,
        RewriteTask.rowsPerFile(group.liveRows, options.targetRowsPerFragment),
        options.maxBytesPerFile,
        dataset.hasStableRowIds,
        write
      )
    }
  }

  /** Commits the new fragments in the place of the old ones. Drops groups with fragments that others changed
    * meanwhile; if no group is left, or something else conflicts, it fails with a conflict.
    *
    * @param dataset
    *   the planned version
    * @param properties
    *   of the transaction of an operation
    */
  @tailrec
  def commit(
      dataset: Dataset,
      done: Vector[RewrittenGroup],
      properties: Operation => Map[String, String] = _ => Map.empty
  ): CompactionOutcome =
    Try(committed(dataset, done, properties)) match {
      case Success(outcome) => CompactionOutcome(outcome.dataset, done)
      case Failure(lost: CommitConflictException) =>
        val now = Dataset.open(dataset.store, dataset.root).fragments.toSet
        val still = done.filter(_.old.forall(now))
        if (still.isEmpty || still.size == done.size) throw lost
        commit(dataset, still, properties)
      case Failure(other) => throw other
    }

  /** Commits the new fragments of all groups, if the planned version is still the latest.
    *
    * @param properties
    *   of the transaction of an operation
    */
  def commitAll(
      dataset: Dataset,
      done: Vector[RewrittenGroup],
      properties: Operation => Map[String, String]
  ): CompactionOutcome = {
    val rewrite = Operation.Rewrite.of(done.map(group => group.old -> group.files.map(fragment)))
    CompactionOutcome(dataset.commitNext(rewrite, properties(rewrite)).dataset, done)
  }

  private def committed(
      dataset: Dataset,
      done: Vector[RewrittenGroup],
      properties: Operation => Map[String, String]
  ): WriteOutcome = {
    val rewrite = Operation.Rewrite.of(identified(dataset, done, properties))
    dataset.commit(rewrite, properties(rewrite))
  }

  /** Returns the fragments of each group, before and after. The new ones get reserved ids. */
  private def identified(
      dataset: Dataset,
      done: Vector[RewrittenGroup],
      properties: Operation => Map[String, String]
  ): Vector[(Vector[Fragment], Vector[Fragment])] = {
    val count = done.map(_.files.size).sum
    val reservation = Operation.ReserveFragments(count)
    val reserved =
      if (count == 0) dataset else dataset.commit(reservation, properties(reservation)).dataset
    val firsts = done.map(_.files.size).scanLeft(reserved.manifest.maxFragmentId + 1 - count)(_ + _)
    done.zip(firsts).map { case (group, first) =>
      group.old -> group.files.zipWithIndex.map { case (file, i) => fragment(file).withId(first + i) }
    }
  }

  /** Files of version 0.1 are not written, and must not be beside others. */
  private def refuseOldFiles(dataset: Dataset): Unit = dataset.fileVersion match {
    case FileVersion.V0_1 =>
      throw new LanceUsageException(
        s"The files of the table at ${dataset.root} have version ${FileVersion.V0_1}, which is read but not written. Raise it " +
          "first: CALL lance.system.raise_file_version."
      )
    case FileVersion.V2_0 | FileVersion.V2_1 | FileVersion.V2_2 => ()
  }

  private def fragment(rewritten: RewrittenFile): Fragment = {
    val fragment = Dataset.fragment(rewritten.file)
    rewritten.lineage.fold(fragment)(l => fragment.withLineage(l.rowIds, l.createdAt, l.lastUpdatedAt))
  }

  private[compaction] def factsOf(dataset: Dataset, options: CompactionOptions): Vector[FragmentFacts] = {
    val segments = segmentsOf(dataset)
    val mostFiles = math.max(options.maxFilesPerFragment, options.groups.groups.size + 1L)
    dataset.fragments.map { fragment =>
      val sizes = fragment.files.map(_.size)
      val hasMany = fragment.files.size > mostFiles
      FragmentFacts(
        fragment,
        dataset.physicalRows(fragment),
        dataset.deletedRows(fragment),
        Option.when(sizes.forall(_.isDefined))(sizes.flatten.sum),
        segments.filter(_.covers(fragment.id)).map(_.uuid).toSet,
        hasMany,
        hasMany && FragmentMerge.of(dataset, fragment, options.groups, WriteId.random()).isEmpty
      )
    }
  }

  /** Returns the index segments. Each must record its coverage, so that it can be updated. */
  private def segmentsOf(dataset: Dataset): Vector[IndexSegments.Segment] = {
    val versions = new Versions(dataset.store, dataset.root)
    val stored = versions.list().find(_.version == dataset.version).map(versions.readWhole)
    val segments = stored.flatMap(_.indexSection).fold(Vector.empty[IndexSegments.Segment])(IndexSegments.of)
    if (segments.exists(_.index == IndexKinds.FragmentReuse))
      throw new UnsupportedLanceFeatureException(
        "compacting a table with a map of moved rows for its indices"
      )
    val indices = segments.filterNot(segment => IndexKinds.isSystem(segment.index))
    indices.find(_.fragments.isEmpty).foreach { unclear =>
      throw new LanceUsageException(
        s"The index '${unclear.index}' of the table at ${dataset.root} does not list the fragments that " +
          "it covers, so it would find rows at their former addresses. Drop or rebuild it, then compact."
      )
    }
    indices
  }
}

/** The result of a compaction.
  *
  * @param dataset
  *   the table afterwards
  * @param done
  *   the committed groups
  * @param merged
  *   the fragments whose files were merged
  */
final private[sparklance] case class CompactionOutcome(
    dataset: Dataset,
    done: Vector[RewrittenGroup],
    merged: Vector[MergedFragment] = Vector.empty
) {
  def fragmentsRemoved: Int = done.map(_.old.size).sum
  def fragmentsAdded: Int = done.map(_.files.size).sum
  def filesRemoved: Int =
    done.flatMap(_.old).map(f => f.files.size + f.deletionFile.size).sum + merged.map(_.filesRemoved).sum
  def filesAdded: Int = done.flatMap(_.files).map(_.file.all.size).sum + merged.map(_.added.size).sum
}
