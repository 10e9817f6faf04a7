package io.sparklance.index.search

import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.index.read.{OpenSegment, SegmentReader}
import io.sparklance.index.{IndexKind, IndexSegment, TableIndices}
import io.sparklance.schema.{Field, Leaf, LogicalType}

/** The segments of an index that searches use, and their cached parts. */
private[sparklance] object IndexWarmth {

  /** Number of usable segments of an index; 0 if scans do not use it. */
  def usable(snapshot: Snapshot, index: String): Int = segments(snapshot, index).size

  /** Reads what every search of an index needs into the cache of this process. Returns the number of segments
    * of which something is kept.
    */
  def prewarm(snapshot: Snapshot, index: String): Int = snapshot.locating {
    segments(snapshot, index).count { segment =>
      leafOf(snapshot, segment).exists { leaf =>
        SegmentReader.prewarm(OpenSegment(snapshot.store, segment, leaf, Map.empty))
      }
    }
  }

  private def segments(snapshot: Snapshot, index: String): Vector[IndexSegment] =
    TableIndices.of(snapshot).filter(_.index == index)

  private def leafOf(snapshot: Snapshot, segment: IndexSegment): Option[Leaf] = {
    val path = snapshot.schema.fields.iterator.flatMap(pathTo(_, segment.fieldId)).nextOption()
    path.flatMap { fields =>
      segment.kind match {
        case IndexKind.LabelList => fields.last.children.headOption.map(Leaf(fields, _))
        case IndexKind.BTree | IndexKind.Bitmap | IndexKind.ZoneMap | IndexKind.BloomFilter |
            IndexKind.NGram =>
          Some(Leaf(fields.init, fields.last))
      }
    }
  }

  private def pathTo(field: Field, id: Int): Option[Vector[Field]] =
    if (field.id == id) Some(Vector(field))
    else if (field.logicalType != LogicalType.Struct) None
    else field.children.iterator.flatMap(pathTo(_, id)).nextOption().map(field +: _)
}
