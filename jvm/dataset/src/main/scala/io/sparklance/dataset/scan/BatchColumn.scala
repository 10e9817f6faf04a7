package io.sparklance.dataset.scan

import io.sparklance.LanceFormatException
import io.sparklance.data.{Column, Fixed64Block}
import io.sparklance.dataset.snapshot.{HiddenColumn, MetadataColumn, RowAddress}
import io.sparklance.table.rowid.{RowNumbers, RowVersions}

/** Makes a column of a batch. */
private trait BatchColumn {

  /** The column, of which the first `rows` values are the batch's. */
  def column(rows: Int): Column
}

/** The values of a metadata column.
  *
  * @param numbers
  *   of rows of the fragment, if it has the column: without, rows are known by their addresses, and of no
  *   version that anybody knows
  * @param origin
  *   the first row that has one of `numbers`
  */
final private class MetadataValues(
    kind: MetadataColumn,
    fragmentId: Long,
    rows: BatchRows,
    numbers: Option[RowNumbers],
    origin: Long
) extends BatchColumn {
  private val block = new Fixed64Block
  private val values = new Column(block)
  private val firstAddress = RowAddress.first(fragmentId)

  def column(count: Int): Column = {
    values.clear()
    val at = block.extend(count)
    values.nulls.appendValid(count)
    kind match {
      case MetadataColumn.RowAddr => fillAddresses(at, count)
      case MetadataColumn.RowId => numbers.fold(fillAddresses(at, count))(fillNumbers(_, at, count))
      case MetadataColumn.FragId => fill(fragmentId, at, count)
      case MetadataColumn.RowCreatedAtVersion | MetadataColumn.RowLastUpdatedAtVersion =>
        numbers.fold(fill(RowVersions.Unknown, at, count))(fillNumbers(_, at, count))
    }
    values
  }

  private def fill(value: Long, at: Int, count: Int): Unit =
    java.util.Arrays.fill(block.values, at, at + count, value)

  private def fillNumbers(numbers: RowNumbers, at: Int, count: Int): Unit = {
    val out = block.values
    var i = 0
    while (i < count) {
      out(at + i) = numbers(rows.offset(i) - origin)
      i += 1
    }
  }

  private def fillAddresses(at: Int, count: Int): Unit = {
    val out = block.values
    var i = 0
    while (i < count) {
      out(at + i) = firstAddress | rows.offset(i)
      i += 1
    }
  }
}

/** The values of a metadata column that a file has.
  *
  * @param stored
  *   as they are there
  */
final private class HiddenValues(kind: HiddenColumn, stored: BatchColumn) extends BatchColumn {
  def column(rows: Int): Column = {
    val column = stored.column(rows)
    column.values match {
      case block: Fixed64Block => check(block.values, rows)
      case other => throw new IllegalStateException(s"${kind.shows.name} in a ${other.getClass}")
    }
    column
  }

  private def check(numbers: Array[Long], rows: Int): Unit = {
    var i = 0
    while (i < rows) {
      if (numbers(i) < 0) {
        val number = java.lang.Long.toUnsignedString(numbers(i))
        throw new LanceFormatException(s"${kind.shows.name} is $number of some row")
      }
      i += 1
    }
  }
}
