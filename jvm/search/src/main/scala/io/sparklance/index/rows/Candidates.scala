package io.sparklance.index.rows

import org.roaringbitmap.RoaringBitmap

import io.sparklance.data.RowRanges

/** The rows of a fragment that may pass a predicate: all others do not.
  *
  * @param offsets
  *   of these rows; may include deleted rows. Not to be changed
  * @param isExact
  *   whether every live row among them passes
  * @param isSearched
  *   whether an index was asked; otherwise the offsets are those of all rows
  */
final private[index] case class FragmentCandidates(
    offsets: RoaringBitmap,
    isExact: Boolean,
    isSearched: Boolean
) {
  def intersect(other: FragmentCandidates): FragmentCandidates = FragmentCandidates(
    RoaringBitmap.and(offsets, other.offsets),
    isExact && other.isExact,
    isSearched || other.isSearched
  )

  def union(other: FragmentCandidates): FragmentCandidates = FragmentCandidates(
    RoaringBitmap.or(offsets, other.offsets),
    isExact && other.isExact,
    isSearched && other.isSearched
  )
}

private[index] object FragmentCandidates {

  /** All rows of a fragment to which no index applies. */
  def unsearched(rows: Long): FragmentCandidates =
    FragmentCandidates(RoaringBitmap.bitmapOfRange(0L, rows), isExact = false, isSearched = false)
}

/** The rows of a table that may pass a predicate, for every fragment. */
final private[index] case class Candidates(fragments: Map[Long, FragmentCandidates]) {

  def intersect(other: Candidates): Candidates = combine(other)(_.intersect(_))
  def union(other: Candidates): Candidates = combine(other)(_.union(_))

  def inexact: Candidates =
    Candidates(fragments.map { case (id, candidates) => id -> candidates.copy(isExact = false) })

  /** Number of rows in fragments that were searched. */
  def found: Long =
    fragments.valuesIterator.filter(_.isSearched).map(_.offsets.getLongCardinality).sum

  def isSearched: Boolean = fragments.valuesIterator.exists(_.isSearched)

  /** Ids of fragments to which no index applies. */
  def unsearched: Set[Long] = idsOf(!_.isSearched)

  /** Ids of fragments whose live candidates all pass. */
  def exact: Set[Long] = idsOf(_.isExact)

  /** Whether the addresses of all candidates are so few ranges. */
  def hasAtMost(ranges: Long): Boolean =
    fragments.valuesIterator.foldLeft(0L) { (count, own) =>
      if (count > ranges) count else count + IdSet.countRanges(own.offsets, ranges - count)
    } <= ranges

  /** Returns the addresses of all candidates. */
  def addresses: RowRanges = RowRanges.of(fragments.toVector.flatMap { case (id, candidates) =>
    IdSet.rangesOf(candidates.offsets).map(_.relativeTo(-(id << 32)))
  })

  private def idsOf(chosen: FragmentCandidates => Boolean): Set[Long] =
    fragments.iterator.collect { case (id, own) if chosen(own) => id }.toSet

  private def combine(other: Candidates)(
      pair: (FragmentCandidates, FragmentCandidates) => FragmentCandidates
  ): Candidates =
    Candidates(fragments.map { case (id, own) => id -> other.fragments.get(id).fold(own)(pair(own, _)) })
}
