package io.sparklance.index.text

import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.schema.Field

/** The index of a column's texts, and the rows that it leaves out.
  *
  * @param uncovered
  *   number of rows in fragments that it does not cover, deleted ones included
  */
final private[sparklance] case class TextCoverage(
    index: String,
    segments: Int,
    partitions: Int,
    uncovered: Long
)

private[sparklance] object TextCoverage {

  /** Returns what searches of a column use, if it has an index. */
  def of(snapshot: Snapshot, field: Field): Option[TextCoverage] = {
    val segments = TextSegment.of(snapshot, field.preOrder.map(_.id))
    segments.headOption.map { first =>
      val others = snapshot.fragments.filterNot(f => segments.exists(_.fragments.contains(f.id)))
      TextCoverage(
        first.index,
        segments.size,
        segments.map(TextIndex.open(snapshot.store, _).partitions.size).sum,
        others.map(snapshot.physicalRows).sum
      )
    }
  }

  /** Returns the segments of an index that searches use. */
  private def used(snapshot: Snapshot, index: String): Vector[TextSegment] =
    TextSegment.all(snapshot).map(_.fieldId).distinct.flatMap(field =>
      TextSegment.of(snapshot, Vector(field))
    )
      .filter(_.index == index)

  /** Returns the number of these segments. */
  def usable(snapshot: Snapshot, index: String): Int = used(snapshot, index).size

  /** Reads what every search of an index needs into the cache of this process. Returns the number of its
    * segments.
    */
  def prewarm(snapshot: Snapshot, index: String): Int = snapshot.locating {
    val segments = used(snapshot, index)
    segments.foreach(TextIndex.open(snapshot.store, _).partitions.foreach(_.prewarm()))
    segments.size
  }

  /** Returns the columns that have an index of their texts. */
  def columns(snapshot: Snapshot): Vector[Field] = {
    val indexed = TextSegment.all(snapshot).map(_.fieldId).toSet
    snapshot.schema.fields.filter(field =>
      TextSearch.isText(field) && field.preOrder.map(_.id).exists(indexed)
    )
  }
}
