package io.sparklance.index.read

import scala.util.Using

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.predicate.{LeafValues, Predicate, RowFilter}
import io.sparklance.index.rows.IdSetBuilder

/** Searches B-trees: finds the pages that may have passing values by the lookup, and tests their values.
  * {{{
  * page_lookup.lance   min, max, u32 null_count, u32 page_idx   one row for each page
  * page_data.lance     value, u64 row id                        sorted by value, nulls first
  * }}}
  * A page is a run of rows of `page_data.lance`. See [[BTreeLookup]] for indices with several such files.
  */
private[read] object BTreeIndex {

  def search(open: OpenSegment, predicate: Predicate, limits: SearchLimits): SearchResult =
    BTreeLookup.of(open).fold[SearchResult](SearchResult.Unusable) { lookup =>
      val wanted = lookup.rowsOf(predicate)
      if (wanted.count > limits.read || certain(lookup, predicate, wanted) > limits.found)
        SearchResult.ScanInstead
      else {
        val found = new IdSetBuilder
        val scatter = new Scatter(wanted.count, limits.ranges)
        lookup.parts.foreach(part => read(open, part, wanted, predicate, found, scatter))
        if (scatter.isTooWide) SearchResult.ScanInstead
        else SearchResult.Found(found.result, isExact = true, pages = lookup.pages(wanted))
      }
    }

  /** Number of rows known to pass, or to be null, before they are read. */
  private def certain(lookup: BTreeLookup, predicate: Predicate, wanted: RowRanges): Long =
    wanted.intersect(lookup.rowsOf(predicate.negated).complement).count

  private def read(
      open: OpenSegment,
      part: BTreePart,
      wanted: RowRanges,
      predicate: Predicate,
      found: IdSetBuilder,
      scatter: Scatter
  ): Unit = {
    val rows = wanted.intersect(RowRange(part.start, part.end)).relativeTo(part.start)
    if (!rows.isEmpty && !scatter.isTooWide)
      Using.resource(IndexFile.open(open.store, open.segment, part.file)) { file =>
        val filter = new RowFilter(predicate)
        file.read(Vector(0, 1), rows) { (columns, count) =>
          val ids = IndexFile.longs(columns(1), count)
          val positions = Array.range(0, count)
          val values = LeafValues(columns(0).values, Vector(columns(0).nulls))
          val passing = filter.narrow(_ => values, positions, count)
          var i = 0
          while (i < passing) { found.add(ids(positions(i))); i += 1 }
          scatter.sample(ids, positions, passing, count)
          !scatter.isTooWide
        }
      }
  }
}
