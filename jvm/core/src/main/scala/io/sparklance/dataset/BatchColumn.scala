package io.sparklance.dataset

import io.sparklance.data.{Column, Fixed64Block}
import io.sparklance.table.rowid.RowIdSequence

/** Makes a column of a batch. */
private trait BatchColumn {

  /** The column, of which the first `rows` values are the batch's. */
  def column(rows: Int): Column
}

/** The values of a metadata column.
  *
  * @param rowIds of all rows of the fragment; if there are none, rows are known by their addresses
  */
final private class MetadataValues(
    kind: MetadataColumn,
    fragmentId: Long,
    rows: LiveRows,
    rowIds: Option[RowIdSequence]
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
      case MetadataColumn.RowId => rowIds.fold(fillAddresses(at, count))(fillIds(_, at, count))
      case MetadataColumn.FragId => java.util.Arrays.fill(block.values, at, at + count, fragmentId)
    }
    values
  }

  private def fillIds(ids: RowIdSequence, at: Int, count: Int): Unit = {
    val out = block.values
    var i = 0
    while (i < count) {
      out(at + i) = ids(rows.offset(i))
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
