package io.sparklance.index.search

import scala.collection.mutable

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.snapshot.{RowAddress, Snapshot}
import io.sparklance.index.read.BTreeEnds.Stretch
import io.sparklance.index.read.{BTreeEnds, OpenSegment, SearchResult}
import io.sparklance.index.rows.IdSet
import io.sparklance.index.{IndexKind, IndexSegment, TableIndices}
import io.sparklance.schema.{Leaf, LogicalType}
import io.sparklance.table.Fragment
import io.sparklance.table.deletion.DeletionVector

/** An end of the order of a column's values. */
sealed private[sparklance] trait IndexEnd extends Product with Serializable

private[sparklance] object IndexEnd {

  /** The first rows of an order, nulls among them. */
  final case class Ordered(ascends: Boolean, nullsFirst: Boolean) extends IndexEnd

  /** The rows with the least or the greatest values; no nulls. */
  final case class Extreme(isLeast: Boolean) extends IndexEnd
}

/** Finds the first rows of an order by B-trees. Each segment returns as many rows as are wanted, of its own
  * fragments, so the first ones of all are among these rows and those of fragments without an index.
  */
private[sparklance] object IndexEnds {

  // A fragment's deletion file is read when a row of it is met.
  final private val MaxDeletionFiles = 256

  /** Returns None if no B-tree tells, or if too many of the first rows are deleted.
    *
    * @param wanted
    *   number of rows
    */
  def find(
      snapshot: Snapshot,
      leaf: Leaf,
      end: IndexEnd,
      wanted: Int,
      broken: BrokenIndices
  ): Option[IndexAnswer] = snapshot.locating {
    val segments = if (isOrdered(leaf)) treesOf(snapshot, leaf) else Vector.empty
    if (segments.isEmpty) None
    else {
      val live = new LiveAddresses(snapshot, MaxDeletionFiles)
      val guard = new BrokenGuard(broken)
      val found = segments.map { segment =>
        val open = OpenSegment(snapshot.store, segment, leaf, live.covered(segment))
        segment -> guard(segment)(BTreeEnds.find(open, stretches(end), wanted, live.isLive(open.covered, _)))
      }
      val usable = found.collect { case (segment, rows: SearchResult.Found) => segment -> rows }
      val needsScan = live.isExhausted || found.exists(_._2 == SearchResult.ScanInstead)
      Option.when(usable.nonEmpty && !needsScan)(answer(snapshot, usable))
    }
  }

  /** NaNs with a sign are at the wrong end of indices. */
  private def isOrdered(leaf: Leaf): Boolean = leaf.field.logicalType match {
    case LogicalType.FloatingPoint(_) | LogicalType.BFloat16 => false
    case LogicalType.Null | LogicalType.Bool | LogicalType.Integer(_, _) | LogicalType.Utf8(_) |
        LogicalType.Binary(_) | LogicalType.FixedSizeBinary(_) | LogicalType.Decimal(_, _, _) |
        LogicalType.Date32 | LogicalType.Date64 | LogicalType.Time(_) | LogicalType.Timestamp(_, _) |
        LogicalType.Duration(_) =>
      true
    case LogicalType.FixedSizeList(_, _) | LogicalType.Struct | LogicalType.List(_, _) | LogicalType.Map |
        LogicalType.Dictionary(_, _) | LogicalType.Json | LogicalType.Blob | LogicalType.Unknown(_) =>
      false
  }

  /** Returns the segments of the index that covers most, if they refer to addresses. */
  private def treesOf(snapshot: Snapshot, leaf: Leaf): Vector[IndexSegment] = {
    val own = TableIndices.of(snapshot).filter { segment =>
      segment.fieldId == leaf.field.id && segment.kind == IndexKind.BTree &&
      !(segment.findsRowIds && snapshot.hasStableRowIds)
    }
    def covered(segments: Vector[IndexSegment]) =
      snapshot.fragments.count(f => segments.exists(_.fragments.contains(f.id)))
    own.groupBy(_.index).toVector.sortBy(_._1).map(_._2).maxByOption(covered).getOrElse(Vector.empty)
  }

  private def stretches(end: IndexEnd): Vector[Stretch] = end match {
    case IndexEnd.Extreme(isLeast) => Vector(Stretch.Values(isLeast))
    case IndexEnd.Ordered(ascends, true) => Vector(Stretch.Nulls, Stretch.Values(ascends))
    case IndexEnd.Ordered(ascends, false) => Vector(Stretch.Values(ascends), Stretch.Nulls)
  }

  private def answer(snapshot: Snapshot, found: Vector[(IndexSegment, SearchResult.Found)]): IndexAnswer = {
    val uncovered =
      snapshot.fragments.map(_.id).filterNot(id => found.exists(_._1.fragments.contains(id))).toSet
    val ids = found.map(_._2.ids).foldLeft(IdSet.empty)(_.union(_))
    val others = uncovered.toVector.map(id => RowAddress.ofFragments(RowRange(id, id + 1)))
    val (first, _) = found.head
    IndexAnswer(
      ids.ranges.union(RowRanges.of(others)),
      ids.count,
      exact = Set.empty,
      Vector(IndexUse(first.index, first.kind.name, found.size, found.map(_._2.pages).sum)),
      uncovered
    )
  }
}

/** Tells live rows by their addresses.
  *
  * @param maxFiles
  *   number of deletion files to read at most
  */
final private class LiveAddresses(snapshot: Snapshot, maxFiles: Int) {
  private val fragments: Map[Long, Fragment] = snapshot.fragments.map(f => f.id -> f).toMap
  private val deleted = mutable.LongMap.empty[Option[DeletionVector]]
  private var files = 0

  /** Whether more deletion files would have to be read, so that the answers are not known. */
  def isExhausted: Boolean = files > maxFiles

  /** Rows of the fragments that a segment covers. */
  def covered(segment: IndexSegment): Map[Long, Long] = fragments.iterator.collect {
    case (id, fragment) if segment.fragments.contains(id) => id -> snapshot.physicalRows(fragment)
  }.toMap

  /** @param covered rows by fragment */
  def isLive(covered: Map[Long, Long], address: Long): Boolean = {
    val offset = address & 0xffffffffL
    covered.get(address >>> 32).exists(offset < _) && !vector(address >>> 32).exists(_.isDeleted(offset))
  }

  private def vector(fragment: Long): Option[DeletionVector] = deleted.getOrElseUpdate(
    fragment,
    fragments.get(fragment).filter(_.deletionFile.isDefined).flatMap { own =>
      files += 1
      if (isExhausted) None else snapshot.deletionVector(own)
    }
  )
}
