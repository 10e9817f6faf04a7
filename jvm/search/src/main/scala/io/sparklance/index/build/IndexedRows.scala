package io.sparklance.index.build

import io.sparklance.data.{Column, Fixed64Block, RowRanges, StructBlock}
import io.sparklance.dataset.scan.{ScanPlan, Split, SplitReader, SplitTarget}
import io.sparklance.dataset.snapshot.{MetadataColumn, RowAddress, Snapshot}
import io.sparklance.io.ObjectStore

/** Reads the live rows of a split for an index: the values of a field, with the number by which the index
  * knows each row.
  *
  * @param depth
  *   number of structs around the field
  * @param most
  *   rows of a batch
  */
final private[sparklance] class IndexedRows(
    store: ObjectStore,
    split: Split,
    depth: Int,
    most: Int = IndexedRows.BatchRows
) extends AutoCloseable {
  private val reader = new SplitReader(store, split, most)

  /** The columns from the top-level field to the indexed one. */
  private var path = Vector.empty[Column]
  private var flags: Array[Boolean] = _
  private var ofRows: Array[Long] = _

  /** Moves to the next batch; false at the end. */
  def next(): Boolean = reader.next() && {
    val (top, numbered) = (reader.columns(0), reader.columns(1))
    path = Vector.iterate(top, depth + 1)(IndexedRows.child)
    ofRows = numbered.values.asInstanceOf[Fixed64Block].values
    flags = if (path.tail.isEmpty) top.nulls.orNull else nullsOfPath
    true
  }

  def count: Int = reader.rowCount
  def values: Column = path.last

  /** Flags of the rows whose value is null, or a struct around it; null if there are none. */
  def nulls: Array[Boolean] = flags

  /** The rows' numbers. */
  def numbers: Array[Long] = ofRows

  def isNull(i: Int): Boolean = flags != null && flags(i)
  def number(i: Int): Long = ofRows(i)

  def close(): Unit = reader.close()

  private def nullsOfPath: Array[Boolean] = path.filter(_.nulls.hasNulls) match {
    case Vector() => null
    case some => Array.tabulate(count)(i => some.exists(_.nulls.isNull(i)))
  }
}

private[sparklance] object IndexedRows {

  /** Most rows of a batch. */
  final private[index] val BatchRows = 8192

  /** Most rows of a batch whose values are lists of vectors. */
  final val BatchLists = 256

  /** Number of consecutive rows in a sample. */
  private val SampleRun = 16L

  /** Returns the splits for the rows of some fragments.
    *
    * @param number
    *   the metadata column by which the index knows rows
    */
  def splits(
      snapshot: Snapshot,
      column: IndexedColumn,
      number: MetadataColumn,
      fragments: Set[Long],
      target: SplitTarget
  ): Vector[Split] =
    ScanPlan.splits(snapshot, Vector(column.projection, number.field), target, rows(snapshot, fragments))

  /** Returns one split for rows from all over some fragments.
    *
    * @param count
    *   number of rows, about
    */
  def sample(
      snapshot: Snapshot,
      column: IndexedColumn,
      number: MetadataColumn,
      fragments: Set[Long],
      count: Long
  ): Vector[Split] = {
    val all = rows(snapshot, fragments)
    val runs = math.max(1, count / SampleRun)
    val chosen = RowRanges.of((0L until runs).flatMap { i =>
      val from = i * all.count / runs
      all.slice(from, from + SampleRun).ranges
    })
    val target = SplitTarget.Rows(math.max(1, chosen.count))
    ScanPlan.splits(snapshot, Vector(column.projection, number.field), target, chosen)
  }

  private def rows(snapshot: Snapshot, fragments: Set[Long]): RowRanges =
    RowRanges.of(snapshot.fragmentRows.collect {
      case (id, count) if fragments(id) => RowAddress.ofFragment(id, count)
    })

  private def child(column: Column): Column = column.values match {
    case structs: StructBlock => structs.children.head
    case other => throw new IllegalStateException(s"no struct: ${other.getClass}")
  }
}
