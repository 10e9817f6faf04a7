package io.sparklance.index.build

import scala.annotation.tailrec

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.table.{Fragment, Versions}

/** The next segment of an index.
  *
  * @param replaced
  *   segments that it replaces
  * @param fragments
  *   ids of the fragments that it covers
  */
final private[sparklance] case class SegmentPlan(replaced: Vector[StoredSegment], fragments: Set[Long])

private[sparklance] object SegmentPlan {

  /** Plans the segment that covers fragments without an index. Returns None if there is nothing to do.
    *
    * A segment may still hold rows of a fragment that was taken out of its coverage. Readers that apply the
    * coverage of all segments together, as pylance does, would find these rows again once another segment
    * covers the fragment. Such segments are replaced, too. So are those that cover nothing: they may have no
    * files, and pylance opens the files of all segments once one covers a fragment.
    *
    * @param details
    *   kind of the new segment
    * @param numbers
    *   the numbers by which it knows rows
    * @param merged
    *   number of segments to replace, newest first
    * @param retrains
    *   whether to replace all
    */
  def of(
      dataset: Dataset,
      segments: Vector[StoredSegment],
      details: SegmentDetails,
      numbers: MetadataColumn,
      merged: Int,
      retrains: Boolean
  ): Option[SegmentPlan] = {
    val live = dataset.fragments.map(_.id).toSet
    val uncovered = live -- segments.flatMap(covered(_, live))
    Option.when(uncovered.nonEmpty || retrains || merged > 1 && segments.size > 1) {
      val isOutdated = segments.exists(this.isOutdated(_, details))
      val newest = segments.sortBy(segment => -segment.createdAt.fold(0L)(_.toEpochMilli))
      val (taken, others) = newest.splitAt(merged)
      val chosen = if (retrains || isOutdated) segments else taken ++ others.filter(_.isEmpty)
      val stale = new Staleness(dataset, numbers)
      extended(stale, live, uncovered, SegmentPlan(chosen, Set.empty), segments.diff(chosen))
    }
  }

  /** Whether a segment has another layout than a new one, or unknown coverage. Releases that did not record
    * the time of a build wrote B-trees without nulls, and zone maps of another form.
    */
  private def isOutdated(segment: StoredSegment, details: SegmentDetails): Boolean =
    segment.version != details.version || segment.typeUrl != details.typeUrl ||
      segment.fragments.isEmpty || segment.createdAt.isEmpty

  @tailrec
  private def extended(
      stale: Staleness,
      live: Set[Long],
      uncovered: Set[Long],
      plan: SegmentPlan,
      kept: Vector[StoredSegment]
  ): SegmentPlan = {
    val fragments = uncovered ++ plan.replaced.flatMap(covered(_, live))
    val (more, rest) = kept.partition(stale.mayHold(_, fragments))
    val next = SegmentPlan(plan.replaced ++ more, fragments)
    if (more.isEmpty) next else extended(stale, live, uncovered, next, rest)
  }

  private def covered(segment: StoredSegment, live: Set[Long]): Set[Long] =
    segment.fragments.fold(Set.empty[Long])(fragments => live.filter(fragments.contains))

  /** Finds out whether segments may hold rows of fragments that they do not cover. */
  final private class Staleness(dataset: Dataset, numbers: MetadataColumn) {
    private val versions = new Versions(dataset.store, dataset.root)
    private lazy val files = versions.list().map(file => file.version -> file).toMap
    private val byId = dataset.fragments.map(fragment => fragment.id -> fragment).toMap
    private val hasRowIds = dataset.hasStableRowIds && numbers == MetadataColumn.RowId

    /** Whether a segment may hold rows of one of these fragments. It may if the version of its build is gone.
      */
    def mayHold(segment: StoredSegment, fragments: Set[Long]): Boolean = {
      val last = segment.fragments.fold(Long.MaxValue)(_.last)
      val built = files.get(segment.builtAt).map(versions.read(_).fragments.map(_.id).toSet)
      fragments.exists(id => id <= last || built.forall(_(id)) || wasChanged(byId(id)))
    }

    /** Whether a fragment has columns that were rewritten, or rows whose ids an older fragment had. */
    private def wasChanged(fragment: Fragment): Boolean =
      fragment.files.exists(_.fieldIds.contains(Tombstone)) || hasRowIds && !isOfNewRows(fragment)

    private def isOfNewRows(fragment: Fragment): Boolean = !fragment.hidesLineage &&
      fragment.createdAtVersions.exists(created => fragment.lastUpdatedAtVersions.contains(created))
  }

  /** Field id of a column that another file has now. */
  private val Tombstone = -2
}
