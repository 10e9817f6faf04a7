package io.sparklance.index.read

import io.sparklance.dataset.predicate.Predicate
import io.sparklance.index.{IndexKind, IndexSegment}
import io.sparklance.io.ObjectStore
import io.sparklance.schema.Leaf

/** A segment, with what searching it takes.
  *
  * @param leaf
  *   the indexed column
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
      case IndexKind.ZoneMap => SearchResult.ScanInstead
      case IndexKind.BloomFilter => SearchResult.ScanInstead
      case IndexKind.NGram => SearchResult.ScanInstead
      case IndexKind.LabelList => SearchResult.ScanInstead
    }
}
