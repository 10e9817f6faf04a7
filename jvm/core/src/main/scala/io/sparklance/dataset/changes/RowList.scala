package io.sparklance.dataset.changes

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.snapshot.{MetadataColumn, RowAddress, Snapshot}
import io.sparklance.table.Fragment
import io.sparklance.table.rowid.RowVersions

/** Rows of a snapshot with stable ids: parallel arrays of their ids, addresses, and the versions that last
  * updated them.
  */
final private[changes] class RowList(
    val ids: Array[Long],
    val addresses: Array[Long],
    val updated: Array[Long]
) {
  def size: Int = ids.length
}

private[changes] object RowList {

  /** Most rows that are compared at once: three numbers of each are in memory. */
  final private val MaxRows = 1L << 28

  /** @param rows fragments of the snapshot, with offsets of rows */
  def of(snapshot: Snapshot, rows: Vector[(Fragment, RowRanges)]): RowList = {
    val count = rows.iterator.map(_._2.count).sum
    if (count > MaxRows)
      throw new UnsupportedLanceFeatureException(s"comparing $count rows that moved between versions")
    val list = new RowList(new Array(count.toInt), new Array(count.toInt), new Array(count.toInt))
    var next = 0
    rows.foreach { case (fragment, offsets) =>
      val stored = snapshot.physicalRows(fragment)
      val ids = snapshot.numbers(fragment, MetadataColumn.RowId).map(_.parse(stored)).getOrElse(
        throw new IllegalStateException(s"fragment ${fragment.id} has no stable row ids")
      )
      val updated = lastUpdates(snapshot, fragment)
      val first = RowAddress.first(fragment.id)
      offsets.ranges.foreach { range =>
        var offset = range.start
        while (offset < range.end) {
          list.ids(next) = ids(offset)
          list.addresses(next) = first | offset
          list.updated(next) = updated(offset)
          next += 1
          offset += 1
        }
      }
    }
    list
  }

  /** Returns the version that last updated each row of a fragment. */
  def lastUpdates(snapshot: Snapshot, fragment: Fragment): Long => Long =
    snapshot.numbers(fragment, MetadataColumn.RowLastUpdatedAtVersion)
      .fold[Long => Long](_ => RowVersions.Unknown) { source =>
        val versions = source.parse(snapshot.physicalRows(fragment))
        versions(_)
      }

  /** Returns the set of the first `count` addresses, which need not be in order. */
  def ranges(addresses: Array[Long], count: Int): RowRanges = {
    java.util.Arrays.sort(addresses, 0, count)
    val out = Vector.newBuilder[RowRange]
    var i = 0
    while (i < count) {
      val start = addresses(i)
      var end = start + 1
      i += 1
      while (i < count && addresses(i) <= end) {
        end = addresses(i) + 1
        i += 1
      }
      out += RowRange(start, end)
    }
    RowRanges.of(out.result())
  }
}
