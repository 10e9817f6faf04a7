package io.sparklance.dataset

import scala.collection.mutable

import io.sparklance.data.RowRanges
import io.sparklance.dataset.snapshot.{RowAddress, Snapshot}
import io.sparklance.table.deletion.{DeletionVector, DeletionVectorBuilder}

/** Rows of a version of a table, by their addresses.
  *
  * @param fragments
  *   for the id of each fragment that has some, which: by their offsets
  */
final private[sparklance] class RowSet private (private[dataset] val fragments: Map[Long, DeletionVector]) {

  def isEmpty: Boolean = fragments.isEmpty

  /** Number of rows. */
  def count: Long = fragments.valuesIterator.map(_.cardinality).sum

  def union(other: RowSet): RowSet = RowSet.union(Seq(this, other))

  /** Serializes the rows for another process. */
  def packed: PackedRowSet =
    PackedRowSet(fragments.iterator.map { case (id, rows) => PackedFragment(id, rows.packed) }.toVector)
}

private[sparklance] object RowSet {
  val empty: RowSet = new RowSet(Map.empty)

  /** The rows of a table at some addresses, deleted ones included. */
  def of(snapshot: Snapshot, addresses: RowRanges): RowSet = new RowSet(
    snapshot.select(addresses).iterator.map { case (fragment, rows) =>
      fragment.id -> DeletionVector.of(rows)
    }.toMap
  )

  /** Returns the live rows among them. */
  def live(snapshot: Snapshot, addresses: RowRanges): RowSet = new RowSet(
    snapshot.select(addresses).iterator.map { case (fragment, rows) =>
      val all = DeletionVector.of(rows)
      fragment.id -> snapshot.deletionVector(fragment).fold(all)(all.minus)
    }.filter { case (_, rows) => rows.cardinality > 0 }.toMap
  )

  def union(all: Seq[RowSet]): RowSet = all match {
    case Seq(one) => one
    case _ =>
      val united = mutable.Map.empty[Long, DeletionVector]
      all.foreach(_.fragments.foreach { case (id, rows) =>
        united(id) = united.get(id).fold(rows)(_.union(rows))
      })
      new RowSet(united.toMap)
  }

  private[dataset] def unpacked(fragments: Vector[PackedFragment]): RowSet =
    new RowSet(fragments.map(f => f.id -> DeletionVector.unpacked(f.rows)).toMap)

  /** Collects rows one by one. */
  final class Builder {
    private val fragments = mutable.LongMap.empty[DeletionVectorBuilder]
    // Rows that come one after the other are mostly of the same fragment.
    private var current = -1L
    private var rows: DeletionVectorBuilder = _

    /** Whether the row at an address is a new one. */
    def add(address: Long): Boolean = {
      val fragment = RowAddress.fragment(address)
      if (fragment != current) {
        current = fragment
        rows = fragments.getOrElseUpdate(fragment, new DeletionVectorBuilder)
      }
      rows.add(RowAddress.offset(address))
    }

    def result: RowSet =
      new RowSet(fragments.iterator.map { case (id, rows) => id -> rows.result }.toMap)
  }
}

/** A [[RowSet]] as it is sent from tasks: nothing but numbers and bytes, so that any serializer is good for
  * it.
  */
final private[sparklance] case class PackedRowSet(fragments: Vector[PackedFragment]) {
  def rows: RowSet = RowSet.unpacked(fragments)
}

/** Rows of one fragment. */
final private[sparklance] case class PackedFragment(id: Long, rows: Array[Byte])
