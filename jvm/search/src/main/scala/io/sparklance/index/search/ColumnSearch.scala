package io.sparklance.index.search

import scala.util.Using

import org.roaringbitmap.RoaringBitmap

import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.index.read.{OpenSegment, SearchLimits, SearchResult, SegmentReader}
import io.sparklance.index.rows.{Candidates, FragmentCandidates, IdSet}
import io.sparklance.index.{IndexKind, IndexSegment, ListTest}
import io.sparklance.io.IoScheduler
import io.sparklance.schema.Leaf
import io.sparklance.table.Fragment

/** Rows that may pass a predicate, and the indices that say so. */
final private[search] case class ColumnAnswer(candidates: Candidates, uses: Vector[IndexUse]) {
  def intersect(other: ColumnAnswer): ColumnAnswer =
    ColumnAnswer(candidates.intersect(other.candidates), uses ++ other.uses)
  def union(other: ColumnAnswer): ColumnAnswer =
    ColumnAnswer(candidates.union(other.candidates), uses ++ other.uses)

  /** Returns this answer to a predicate that demands more. */
  def inexact: ColumnAnswer = copy(candidates = candidates.inexact)
}

/** Searches the indices of single columns.
  *
  * Each segment answers for the fragments that it covers, and for no others: a fragment that was taken out of
  * its bitmap may still have rows in its files.
  */
final private[search] class ColumnSearch(
    snapshot: Snapshot,
    segments: Vector[IndexSegment],
    broken: BrokenIndices,
    goal: SearchGoal
) {
  private val fragments: Vector[(Fragment, Long)] =
    snapshot.fragments.map(fragment => fragment -> snapshot.physicalRows(fragment))
  private val guard = new BrokenGuard(broken)

  /** Limits of a search of one column, and of the rows found by all. */
  val limits: SearchLimits = goal match {
    case SearchGoal.Rows => SearchLimits.of(rows, snapshot.hasStableRowIds)
    case SearchGoal.Count => SearchLimits.ofCount(rows, snapshot.hasStableRowIds)
  }

  /** Number of rows of the table, deleted ones included. */
  def rows: Long = fragments.iterator.map(_._2).sum

  /** Number of found rows above which a scan of the same fragments is as good. */
  def mostWorthIt(candidates: Candidates): Long =
    fragments.iterator.collect {
      case (fragment, rows) if candidates.fragments.get(fragment.id).exists(_.isSearched) => rows
    }.sum * 9 / 10

  /** Asks the indices of a predicate's only leaf, one after the other, until one of them answers. */
  def find(predicate: Predicate): Option[ColumnAnswer] = {
    val leaf = predicate.leaves.head
    find(leaf.field.id, leaf)(SegmentReader.search(_, predicate, limits))
  }

  /** Finds lists that pass a test. */
  def find(test: ListTest): Option[ColumnAnswer] =
    find(test.listId, test.item)(SegmentReader.searchLists(_, test.test, limits))

  private def find(fieldId: Int, leaf: Leaf)(search: OpenSegment => SearchResult): Option[ColumnAnswer] = {
    val indices = segments.filter(_.fieldId == fieldId).groupBy(_.index).values.toVector
    indices.sortBy(index => (ColumnSearch.preference(index.head.kind), index.head.index)).iterator
      .flatMap(ask(_, leaf, search))
      .nextOption()
  }

  private def ask(
      index: Vector[IndexSegment],
      leaf: Leaf,
      search: OpenSegment => SearchResult
  ): Option[ColumnAnswer] = {
    val usable = searched(index, leaf, search).filterNot(_._2 == SearchResult.Unusable)
    val found = usable.collect { case (open, found: SearchResult.Found) => open -> found }
    Option.when(found.nonEmpty && found.size == usable.size) {
      val byFragment = found.flatMap { case (open, result) => candidates(open, result) }
        .groupMapReduce(_._1)(_._2)(ColumnSearch.overlapping)
      val all = fragments.map { case (fragment, rows) =>
        fragment.id -> byFragment.getOrElse(fragment.id, FragmentCandidates.unsearched(rows))
      }
      val use = IndexUse(index.head.index, index.head.kind.name, found.size, found.map(_._2.pages).sum)
      ColumnAnswer(Candidates(all.toMap), Vector(use))
    }
  }

  /** Searches segments until one needs a scan, or all together have found too many rows. */
  private def searched(
      index: Vector[IndexSegment],
      leaf: Leaf,
      search: OpenSegment => SearchResult
  ): Vector[(OpenSegment, SearchResult)] = {
    var found = 0L
    val results = Vector.newBuilder[(OpenSegment, SearchResult)]
    val answers =
      asked(index.map(segment => OpenSegment(snapshot.store, segment, leaf, covered(segment))), search)
    while (answers.hasNext && found <= limits.found) {
      val (open, result) = answers.next()
      found +=
        (result match {
          case rows: SearchResult.Found => rows.ids.count
          case SearchResult.ScanInstead => limits.found + 1
          case SearchResult.Unusable => 0
        })
      results += open -> (if (found > limits.found) SearchResult.ScanInstead else result)
    }
    results.result()
  }

  /** Searches segments, side by side if the store is read ahead. */
  private def asked(
      segments: Vector[OpenSegment],
      search: OpenSegment => SearchResult
  ): Iterator[(OpenSegment, SearchResult)] = {
    def ask(open: OpenSegment) = open -> guard(open.segment)(search(open))
    if (snapshot.store.profile.readAhead == 0) segments.iterator.map(ask)
    else
      Using.resource(
        IoScheduler.shared.task(snapshot.store.profile)
      )(_.map(segments)(ask)).iterator.map(_.get)
  }

  private def covered(segment: IndexSegment): Map[Long, Long] = fragments.iterator.collect {
    case (fragment, rows) if segment.fragments.contains(fragment.id) => fragment.id -> rows
  }.toMap

  /** Returns the rows that a segment found, in the fragments that it covers. */
  private def candidates(
      open: OpenSegment,
      found: SearchResult.Found
  ): Vector[(Long, FragmentCandidates)] = {
    val own = fragments.filter { case (fragment, _) =>
      open.covered.contains(fragment.id) && !found.unknown(fragment.id)
    }
    val offsets: (Fragment, Long) => RoaringBitmap =
      if (open.segment.findsRowIds && snapshot.hasStableRowIds) byRowId(found.ids) else byAddress(found.ids)
    own.map { case (fragment, rows) =>
      fragment.id -> FragmentCandidates(offsets(fragment, rows), found.isExact, isSearched = true)
    }
  }

  private def byAddress(ids: IdSet)(fragment: Fragment, rows: Long): RoaringBitmap =
    ids.word(fragment.id).fold(new RoaringBitmap)(IdSet.below(_, rows))

  private def byRowId(ids: IdSet): (Fragment, Long) => RoaringBitmap = {
    val offsets = snapshot.offsetsOf(ids.ranges).iterator.map { case (fragment, found) =>
      fragment.id -> IdSet.bitmapOf(found)
    }.toMap
    (fragment, _) => offsets.getOrElse(fragment.id, new RoaringBitmap)
  }
}

private object ColumnSearch {

  /** Indices that find exact rows come first. */
  private def preference(kind: IndexKind): Int = kind match {
    case IndexKind.BTree => 0
    case IndexKind.Bitmap => 1
    case IndexKind.LabelList => 2
    case IndexKind.NGram => 3
    case IndexKind.ZoneMap => 4
    case IndexKind.BloomFilter => 5
  }

  /** Unites the answers of two segments that cover the same fragment, one of which may be outdated. */
  private def overlapping(a: FragmentCandidates, b: FragmentCandidates): FragmentCandidates =
    a.union(b).copy(isExact = false)
}
