package io.sparklance.soak

import scala.util.Using

import io.sparklance.data.{Column, Fixed64Block}
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.{ScanPlan, SplitReader, SplitTarget}
import io.sparklance.dataset.snapshot.MetadataColumn

/** A row as a version of the table has it. */
final private case class Row(id: Long, value: Long, address: Long, rowId: Long)

private object RowsOf {
  private val BatchRows = 1000

  def apply(dataset: Dataset): Vector[Row] = {
    val projection = dataset.schema.fields ++
      Vector(MetadataColumn.RowAddr, MetadataColumn.RowId).map(_.field)
    ScanPlan.splits(dataset, projection, SplitTarget.Rows(Long.MaxValue)).flatMap { split =>
      Using.resource(new SplitReader(dataset.store, split, BatchRows)) { reader =>
        Iterator.continually(reader.next()).takeWhile(identity).flatMap { _ =>
          val Vector(ids, values, addresses, rowIds) =
            reader.columns.map(longs(_, reader.rowCount)): @unchecked
          ids.indices.map(i => Row(ids(i), values(i), addresses(i), rowIds(i)))
        }.toVector
      }
    }
  }

  /** The version, its rows, and sums that tell apart versions with other rows. */
  def told(dataset: Dataset): String = {
    val rows = RowsOf(dataset)
    s"${dataset.version} ${rows.size} ${rows.map(_.id).sum} ${rows.map(row => row.id * row.value).sum}"
  }

  private def longs(column: Column, count: Int): Array[Long] = column.values match {
    case block: Fixed64Block => block.values.take(count)
    case other => throw new IllegalStateException(s"no block of numbers: $other")
  }
}
