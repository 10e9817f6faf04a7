package io.sparklance.index.read

import scala.util.Using

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.predicate.{BytesTest, LeafValues, NumberTest, Predicate, RowFilter, ValueTest}
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
      if (
        wanted.count > mostRead(lookup, predicate, limits) ||
        certain(lookup, predicate, wanted) > limits.found
      )
        SearchResult.ScanInstead
      else {
        val found = new IdSetBuilder
        val scatter = new Scatter(wanted.count, limits.ranges)
        if (wanted.count <= MostKept) lookup.parts.foreach(look(open, _, wanted, predicate, found))
        else lookup.parts.foreach(part => read(open, part, wanted, predicate, found, scatter))
        if (scatter.isTooWide) SearchResult.ScanInstead
        else SearchResult.Found(found.result, isExact = true, pages = lookup.pages(wanted))
      }
    }

  /** Entries of pages that are kept in memory. */
  final private val MostKept = 1L << 20

  /** Number of entries that a search may read. Pages with single keys are kept, so later searches for keys
    * need not read them again.
    */
  private def mostRead(lookup: BTreeLookup, predicate: Predicate, limits: SearchLimits): Long =
    if (isOfKeys(predicate)) math.max(limits.read, math.min(lookup.rows, MostKept)) else limits.read

  private def isOfKeys(predicate: Predicate): Boolean = predicate match {
    case Predicate.Passes(_, test) => isOfKeys(test)
    case Predicate.AllOf(operands) => operands.exists(isOfKeys)
    case Predicate.AnyOf(operands) => operands.forall(isOfKeys)
    case Predicate.Always | Predicate.Never | Predicate.Unknown | Predicate.IsNull(_) |
        Predicate.NotNull(_) | Predicate.Fails(_, _) =>
      false
  }

  private def isOfKeys(test: ValueTest): Boolean = test match {
    case NumberTest.Within(least, most) => least == most
    case NumberTest.OneOf(_) | BytesTest.SameAs(_) | BytesTest.OneOf(_) => true
    case BytesTest.StartsWith(_) | BytesTest.Before(_) | BytesTest.NotAfter(_) | BytesTest.EndsWith(_) |
        BytesTest.Contains(_) =>
      false
  }

  /** Tests the values of pages that are kept. */
  private def look(
      open: OpenSegment,
      part: BTreePart,
      wanted: RowRanges,
      predicate: Predicate,
      found: IdSetBuilder
  ): Unit = {
    val rows = wanted.intersect(RowRange(part.start, part.end)).relativeTo(part.start)
    val filter = new RowFilter(predicate)
    BTreePages.foreach(open, part, rows) { page =>
      val positions = Array.range(0, page.ids.length)
      val values = LeafValues(page.values.values, Vector(page.values.nulls))
      val passing = filter.narrow(_ => values, positions, page.ids.length)
      var i = 0
      while (i < passing) { found.add(page.ids(positions(i))); i += 1 }
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
