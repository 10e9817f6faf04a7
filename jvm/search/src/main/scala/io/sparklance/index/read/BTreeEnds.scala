package io.sparklance.index.read

import scala.util.Using

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.index.rows.IdSetBuilder

/** The rows at an end of a B-tree, without their values. */
private[index] object BTreeEnds {

  /** A stretch of the entries, which are sorted by value, nulls first.
    *
    * @param ascends
    *   whether its first entry comes first, or else its last
    */
  sealed trait Stretch extends Product with Serializable { def ascends: Boolean }

  object Stretch {

    /** The entries of nulls. */
    case object Nulls extends Stretch { def ascends: Boolean = true }

    /** All other entries. */
    final case class Values(ascends: Boolean) extends Stretch
  }

  /** Entries that a search may read. If that many are deleted or not covered, a scan is the better way. */
  final private val MaxRead = 1L << 18

  // A page.
  final private val FirstRead = 1L << 12

  /** Finds the first rows of some stretches, in their order.
    *
    * @param wanted
    *   number of rows
    * @param isLive
    *   whether an address is of a row that exists and that the segment covers
    */
  def find(
      open: OpenSegment,
      stretches: Vector[Stretch],
      wanted: Int,
      isLive: Long => Boolean
  ): SearchResult =
    BTreeLookup.of(open).fold[SearchResult](SearchResult.Unusable) { lookup =>
      val reader = new BTreeEnds(open, lookup, wanted, isLive)
      stretches.foreach(stretch => reader.read(rowsOf(lookup, stretch), stretch.ascends))
      reader.result
    }

  private def rowsOf(lookup: BTreeLookup, stretch: Stretch): RowRange = {
    val nulls = lookup.nulls
    stretch match {
      case Stretch.Nulls => RowRange(0, nulls)
      case Stretch.Values(_) => RowRange(nulls, lookup.rows)
    }
  }
}

/** @param wanted number of rows */
final private class BTreeEnds(
    open: OpenSegment,
    lookup: BTreeLookup,
    wanted: Int,
    isLive: Long => Boolean
) {
  private val found = new IdSetBuilder
  private var missing = wanted
  private var entries, pages = 0L

  /** Reads from one end of some entries until all rows are found. */
  def read(rows: RowRange, ascends: Boolean): Unit = {
    var left = rows
    var size = math.max(BTreeEnds.FirstRead, wanted.toLong)
    while (missing > 0 && !left.isEmpty && entries < BTreeEnds.MaxRead) {
      val length = math.min(size, left.length)
      val next =
        if (ascends) RowRange(left.start, left.start + length) else RowRange(left.end - length, left.end)
      left = if (ascends) RowRange(next.end, left.end) else RowRange(left.start, next.start)
      take(idsOf(next), ascends)
      entries += length
      size *= 2
    }
  }

  def result: SearchResult =
    if (entries >= BTreeEnds.MaxRead && missing > 0) SearchResult.ScanInstead
    else SearchResult.Found(found.result, isExact = false, pages)

  private def take(ids: Array[Long], ascends: Boolean): Unit = {
    var i = 0
    while (i < ids.length && missing > 0) {
      val id = ids(if (ascends) i else ids.length - 1 - i)
      if (isLive(id)) {
        found.add(id)
        missing -= 1
      }
      i += 1
    }
  }

  private def idsOf(rows: RowRange): Array[Long] = {
    pages += lookup.pages(RowRanges(rows))
    val out = Array.newBuilder[Long]
    lookup.parts.foreach { part =>
      val own = rows.intersect(RowRange(part.start, part.end)).relativeTo(part.start)
      if (!own.isEmpty)
        Using.resource(IndexFile.open(open.store, open.segment, part.file)) { file =>
          file.read(Vector(1), RowRanges(own)) { (columns, count) =>
            out ++= IndexFile.longs(columns.head, count).iterator.take(count)
            true
          }
        }
    }
    out.result()
  }
}
