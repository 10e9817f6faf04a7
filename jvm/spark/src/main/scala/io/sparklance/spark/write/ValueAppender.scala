package io.sparklance.spark.write

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters

import io.sparklance.LanceUsageException
import io.sparklance.data.NullMask

/** Appends one field of Spark's rows or arrays to a column. Chosen once for each column. */
abstract private[spark] class ValueAppender(nulls: NullMask) {

  final def append(row: SpecializedGetters, ordinal: Int): Unit =
    if (row.isNullAt(ordinal)) {
      appendSlots(1)
      nulls.appendNull(1)
    } else {
      appendValue(row, ordinal)
      nulls.appendValid(1)
    }

  /** Appends the field of all rows. An error for a value says which row has it. */
  def appendAll(rows: RowBuffer, ordinal: Int): Unit = {
    var i = 0
    try while (i < rows.length) { append(rows.row(i), ordinal); i += 1 }
    catch { case e: LanceUsageException => throw Fitting.inRow(e, rows.before + i + 1) }
  }

  protected def appendValue(row: SpecializedGetters, ordinal: Int): Unit

  /** Appends slots of arbitrary content for nulls. */
  def appendSlots(n: Int): Unit
}
