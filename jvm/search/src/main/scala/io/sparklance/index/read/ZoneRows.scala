package io.sparklance.index.read

import scala.collection.mutable

import org.roaringbitmap.RoaringBitmap

import io.sparklance.LanceFormatException
import io.sparklance.index.rows.{IdSet, IdSetBuilder}

/** Collects the zones of a segment, each a range of rows of a fragment.
  *
  * A zone holds only rows that were live when the segment was built. Rows in no zone were deleted then, or
  * faulty releases left them out, so they may pass, too.
  *
  * @param covered
  *   covered fragments with their numbers of rows
  */
final private[read] class ZoneRows(covered: Map[Long, Long]) {
  private val all = mutable.LongMap.empty[RoaringBitmap]
  private val passing = mutable.LongMap.empty[RoaringBitmap]
  private var zones = 0L

  def add(fragment: Long, start: Long, length: Long, mayPass: Boolean): Unit = {
    zones += 1
    covered.get(fragment).foreach { rows =>
      if (start < 0 || length < 0 || start > rows - length)
        throw new LanceFormatException(
          s"a zone of $length rows from $start on in fragment $fragment, which has $rows rows"
        )
      all.getOrElseUpdate(fragment, new RoaringBitmap).add(start, start + length)
      if (mayPass) passing.getOrElseUpdate(fragment, new RoaringBitmap).add(start, start + length)
    }
  }

  /** Returns the rows of the zones that may pass, and those in no zone.
    *
    * @param needsAll
    *   whether fragments with rows in no zone are unknown: releases before 1.0.1 counted live rows instead of
    *   offsets
    */
  def result(needsAll: Boolean): SearchResult.Found = {
    val gaps = this.gaps
    val unknown = if (needsAll) gaps.keySet else Set.empty[Long]
    val found = new IdSetBuilder
    covered.keysIterator.filterNot(unknown).foreach { fragment =>
      (passing.get(fragment) ++ gaps.get(fragment)).foreach(found.add(fragment, _))
    }
    SearchResult.Found(found.result, isExact = false, zones, unknown)
  }

  /** Returns known rows with a null, and those in no zone. */
  def withNulls(nulls: IdSet): SearchResult.Found = {
    val found = new IdSetBuilder
    found.add(nulls)
    val gaps = this.gaps
    gaps.foreach { case (fragment, rows) => found.add(fragment, rows) }
    SearchResult.Found(found.result, isExact = gaps.isEmpty, zones)
  }

  /** Rows of covered fragments in no zone. */
  private def gaps: Map[Long, RoaringBitmap] = covered.flatMap { case (fragment, rows) =>
    val whole = RoaringBitmap.bitmapOfRange(0L, rows)
    val gap = all.get(fragment).fold(whole)(RoaringBitmap.andNot(whole, _))
    Option.unless(gap.isEmpty)(fragment -> gap)
  }
}
