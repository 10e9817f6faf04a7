package io.sparklance.index.read

import scala.util.Using

import io.sparklance.data.{Column, RowRanges, VariableBlock}
import io.sparklance.dataset.predicate.{LeafValues, Predicate, RowFilter}
import io.sparklance.index.rows.{IdSetBuilder, IdSetCodec}

/** Searches bitmap indices: tests all keys, and reads the rows of those that pass.
  * {{{
  * bitmap_page_lookup.lance   key, rows (IdSetCodec)   one row for each distinct value, and for null
  * }}}
  * Keys may be in any order.
  */
private[read] object BitmapIndex {
  final private val FileName = "bitmap_page_lookup.lance"

  // More distinct values than that, or more bytes of them, are searched by scans.
  final private val MaxKeys = 1 << 20
  final private val MaxKeyBytes = 64L << 20

  /** All keys, or none if they take too much memory. */
  final private class Keys(val column: Option[Column]) extends SegmentSummary {
    def weight: Long = column.map(_.values).fold(64L) {
      case block: VariableBlock => 5L * block.length + block.byteLength
      case block => block.sizeInBytes + block.length
    }
  }

  def search(open: OpenSegment, predicate: Predicate, limits: SearchLimits): SearchResult = predicate match {
    // Joins demand it, and it rarely rules out rows.
    case Predicate.NotNull(_) => SearchResult.ScanInstead
    case _ => searchKeys(open, predicate, limits)
  }

  /** Keeps the keys in memory. Returns false for a form that is not used. */
  def prewarm(open: OpenSegment): Boolean = withKeys(open)((_, keys) => keys.isDefined)

  private def searchKeys(open: OpenSegment, predicate: Predicate, limits: SearchLimits): SearchResult =
    withKeys(open) { (file, keys) =>
      keys.fold[SearchResult](SearchResult.Unusable) { keys =>
        rowsOf(file, passing(keys, predicate), limits)
      }
    }

  /** Opens a segment. There are no keys if its form is not used. */
  private def withKeys[A](open: OpenSegment)(use: (IndexFile, Option[Column]) => A): A =
    Using.resource(IndexFile.open(open.store, open.segment, FileName)) { file =>
      if (file.isReadable) file.checkColumns(2)
      val fits = file.isReadable && file.rows <= MaxKeys &&
        file.fields.headOption.map(_.logicalType).contains(open.leaf.field.logicalType)
      val keys = SegmentCache.getOrRead(open.segment) { case keys: Keys => keys } {
        Option.when(fits)(new Keys(file.readWithin(Vector(0), MaxKeyBytes).map(_.head)))
      }
      use(file, keys.flatMap(_.column))
    }

  /** Returns the numbers of the keys that pass. */
  private def passing(keys: Column, predicate: Predicate): RowRanges = {
    val positions = Array.range(0, keys.length)
    val values = LeafValues(keys.values, Vector(keys.nulls))
    val count = new RowFilter(predicate).narrow(_ => values, positions, keys.length)
    RowRanges.ofRows(positions.take(count).map(_.toLong))
  }

  private def rowsOf(file: IndexFile, keys: RowRanges, limits: SearchLimits): SearchResult = {
    val found = new IdSetBuilder
    var fits = true
    file.read(Vector(1), keys) { (columns, count) =>
      val sets = IndexFile.byteStrings(columns.head, count)
      (0 until count).foreach(i => found.add(IdSetCodec.parse(IndexFile.bytesAt(sets, i))))
      fits = found.count <= limits.found
      fits
    }
    if (fits) SearchResult.Found(found.result, isExact = true, pages = keys.count)
    else SearchResult.ScanInstead
  }
}
