package io.sparklance.index.read

import scala.util.Using

import io.sparklance.data.Column
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.statistics.{ZoneFacts, ZoneTest}
import io.sparklance.index.rows.{IdSet, IdSetCodec}
import io.sparklance.schema.LogicalType

/** Searches zone maps: finds the zones that may have passing values.
  * {{{
  * zonemap.lance   min, max, u32 null_count, u32 nan_count, u64 fragment_id, u64 zone_start, u64 zone_length
  * metadata        null_bitmap: number of the global buffer with all rows that are null (IdSetCodec)
  * }}}
  */
private[read] object ZoneMapIndex {
  final private val FileName = "zonemap.lance"

  // More zones than that are not kept in memory.
  final private val MaxZones = 1 << 20
  final private val MaxFileBytes = 256L << 20

  /** @param nulls rows that are null, if recorded */
  final private class Zones(
      val fragments: Array[Long],
      val starts: Array[Long],
      val lengths: Array[Long],
      val nullCounts: Array[Int],
      val bounds: ZoneFacts,
      val nulls: Option[IdSet]
  ) extends SegmentSummary {
    def weight: Long = 1024 + 64L * starts.length + nulls.fold(0L)(_.bytes) +
      (bounds match {
        case bytes: ZoneFacts.Bytes => bytes.least.iterator.map(_.length.toLong).sum * 2
        case _: ZoneFacts.Numbers | ZoneFacts.Unknown => 0L
      })
  }

  def search(open: OpenSegment, predicate: Predicate): SearchResult =
    zonesOf(open).fold[SearchResult](SearchResult.Unusable) { zones =>
      val rows = new ZoneRows(open.covered)
      zones.fragments.indices.foreach { i =>
        rows.add(zones.fragments(i), zones.starts(i), zones.lengths(i), mayPass(zones, i, predicate))
      }
      (predicate, zones.nulls) match {
        case (Predicate.IsNull(_), Some(nulls)) => rows.withNulls(nulls)
        case (_, nulls) => rows.result(needsAll = nulls.isEmpty)
      }
    }

  /** Keeps the zones in memory. Returns false for a form that is not used. */
  def prewarm(open: OpenSegment): Boolean = zonesOf(open).isDefined

  private def mayPass(zones: Zones, i: Int, predicate: Predicate): Boolean = predicate match {
    case Predicate.Always => true
    case Predicate.Never | Predicate.Unknown => false
    case Predicate.AllOf(operands) => operands.forall(mayPass(zones, i, _))
    case Predicate.AnyOf(operands) => operands.exists(mayPass(zones, i, _))
    case Predicate.IsNull(_) => zones.nullCounts(i) > 0
    case Predicate.NotNull(_) => hasValues(zones, i)
    case Predicate.Passes(_, test) => hasValues(zones, i) && ZoneTest.mayPass(zones.bounds, i, test)
    case Predicate.Fails(_, test) => hasValues(zones, i) && ZoneTest.mayFail(zones.bounds, i, test)
  }

  private def hasValues(zones: Zones, i: Int): Boolean = zones.nullCounts(i) < zones.lengths(i)

  private def zonesOf(open: OpenSegment): Option[Zones] = {
    val segment = open.segment
    if (segment.files.sizes.get(FileName).exists(_ > MaxFileBytes)) None
    else
      SegmentCache.getOrRead(segment) { case zones: Zones => zones } {
        Using.resource(IndexFile.open(open.store, segment, FileName))(parse(open.leaf.field.logicalType, _))
      }
  }

  /** Returns None for the form of release 0.35, which has other columns. */
  private def parse(logicalType: LogicalType, file: IndexFile): Option[Zones] = {
    val fits = file.isReadable && file.rows <= MaxZones && file.has("zone_length") &&
      Seq("min", "max").map(file.column).forall(i => file.fields(i).logicalType == logicalType)
    Option.when(fits) {
      val count = file.rows.toInt
      val names = Vector("min", "max", "null_count", "nan_count", "fragment_id", "zone_start", "zone_length")
      val columns = names.zip(file.readAll(names.map(file.column))).toMap
      def longs(name: String) = IndexFile.longs(columns(name), count).take(count)
      new Zones(
        longs("fragment_id"),
        longs("zone_start"),
        longs("zone_length"),
        IndexFile.counts(columns("null_count"), count).take(count),
        boundsOf(logicalType, columns, count),
        file.metadata.get("null_bitmap").map(number => IdSetCodec.parse(file.buffer(number)))
      )
    }
  }

  /** NaNs are above all other values, but the greatest value of a zone may not say so. */
  private def boundsOf(logicalType: LogicalType, columns: Map[String, Column], count: Int): ZoneFacts =
    StoredBounds.of(logicalType, columns("min"), columns("max"), count) match {
      case numbers: ZoneFacts.Numbers =>
        val nans = IndexFile.counts(columns("nan_count"), count)
        val most = Array.tabulate(count)(i => if (nans(i) > 0) Long.MaxValue else numbers.most(i))
        new ZoneFacts.Numbers(numbers.least, most, numbers.nans, numbers.exactness)
      case other @ (_: ZoneFacts.Bytes | ZoneFacts.Unknown) => other
    }
}
