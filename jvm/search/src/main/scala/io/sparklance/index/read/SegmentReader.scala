package io.sparklance.index.read

import io.sparklance.dataset.predicate.{Predicate, ValueTest}
import io.sparklance.index.{IndexKind, IndexSegment}
import io.sparklance.io.ObjectStore
import io.sparklance.schema.Leaf

/** A segment, with what searching it takes.
  *
  * @param leaf
  *   the indexed column; of a label list, the items
  * @param covered
  *   covered fragments of the table version, with their numbers of rows, deleted ones included
  */
final private[index] case class OpenSegment(
    store: ObjectStore,
    segment: IndexSegment,
    leaf: Leaf,
    covered: Map[Long, Long]
)

/** Searches segments of all kinds. */
private[index] object SegmentReader {

  /** @param predicate whose only leaf is the indexed column */
  def search(open: OpenSegment, predicate: Predicate, limits: SearchLimits): SearchResult =
    open.segment.kind match {
      case IndexKind.BTree => BTreeIndex.search(open, predicate, limits)
      case IndexKind.Bitmap => BitmapIndex.search(open, predicate, limits)
      case IndexKind.ZoneMap => ZoneMapIndex.search(open, predicate)
      case IndexKind.BloomFilter => BloomFilterIndex.search(open, predicate)
      case IndexKind.NGram => NGramIndex.search(open, predicate, limits)
      case IndexKind.LabelList => SearchResult.ScanInstead
    }

  /** Reads what every search of a segment needs, and keeps it for later ones. Returns false if nothing is
    * kept.
    */
  def prewarm(open: OpenSegment): Boolean = open.segment.kind match {
    case IndexKind.BTree => BTreeLookup.of(open).isDefined
    case IndexKind.Bitmap | IndexKind.LabelList => BitmapIndex.prewarm(open)
    case IndexKind.ZoneMap => ZoneMapIndex.prewarm(open)
    case IndexKind.BloomFilter => BloomFilterIndex.prewarm(open)
    case IndexKind.NGram => NGramIndex.prewarm(open)
  }

  /** Finds lists with an item that passes a test. */
  def searchLists(open: OpenSegment, test: ValueTest, limits: SearchLimits): SearchResult =
    open.segment.kind match {
      case IndexKind.LabelList => LabelListIndex.search(open, test, limits)
      case IndexKind.BTree | IndexKind.Bitmap | IndexKind.ZoneMap | IndexKind.BloomFilter |
          IndexKind.NGram =>
        SearchResult.ScanInstead
    }
}
