package io.sparklance.dataset.scan

import scala.collection.immutable.ArraySeq
import scala.util.Using

import io.sparklance.data.{Fixed64Block, RowRanges}
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.snapshot.HiddenColumn
import io.sparklance.table.Fragment
import io.sparklance.table.rowid.{RowIdEncoder, RowVersionEncoder}

/** What hidden columns tell of a fragment's rows, here and now: as what the manifest would have of them. */
final private[dataset] class HiddenLineage(dataset: Dataset) {

  def rowIds(fragment: Fragment): ArraySeq[Byte] =
    message(RowIdEncoder.encode(numbers(fragment, HiddenColumn.RowIds)).toByteArray)

  def createdAtVersions(fragment: Fragment): ArraySeq[Byte] =
    message(RowVersionEncoder.encode(numbers(fragment, HiddenColumn.CreatedAtVersions)).toByteArray)

  def lastUpdatedAtVersions(fragment: Fragment): ArraySeq[Byte] =
    message(RowVersionEncoder.encode(numbers(fragment, HiddenColumn.LastUpdatedAtVersions)).toByteArray)

  private def message(bytes: Array[Byte]) = ArraySeq.unsafeWrapArray(bytes)

  /** Of all rows, deleted ones included. */
  private def numbers(fragment: Fragment, column: HiddenColumn): Array[Long] = {
    val projected = new ProjectedFragments(dataset, Vector(column.shows.field), Predicate.Always, None)
    val (task, _) = projected.plan(fragment, RowRanges(0, dataset.physicalRows(fragment)))
    Using.resource(
      new FragmentReader(dataset.store, task.copy(deletion = None), HiddenLineage.BatchRows)
    ) { reader =>
      val found = Array.newBuilder[Long]
      while (reader.next()) found ++= values(reader)
      found.result()
    }
  }

  private def values(reader: FragmentReader): Array[Long] = reader.columns.head.values match {
    case block: Fixed64Block => block.values.take(reader.rowCount)
    case other => throw new IllegalStateException(s"numbers in a ${other.getClass}")
  }
}

private object HiddenLineage {
  final private val BatchRows = 1 << 14
}
