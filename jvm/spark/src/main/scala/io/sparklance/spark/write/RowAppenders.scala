package io.sparklance.spark.write

import org.apache.spark.sql.catalyst.InternalRow

import io.sparklance.data.Column
import io.sparklance.dataset.blob.BlobWriter
import io.sparklance.schema.Field

/** Appends rows of Spark to the columns of one file.
  *
  * @param columns
  *   one for each field
  * @param ordinals
  *   position of each field in the rows
  * @param blobs
  *   returns the writer of a field's blobs
  */
final private[spark] class RowAppenders(
    fields: Vector[Field],
    columns: Vector[Column],
    ordinals: Array[Int],
    blobs: (Field, Column) => BlobWriter
) {
  private val appenders: Array[ValueAppender] =
    fields.iterator.zip(columns.iterator).map { case (field, column) =>
      RowToBlocks.appender(field, column, blobs)
    }.toArray

  def append(row: InternalRow): Unit = {
    var i = 0
    while (i < appenders.length) { appenders(i).append(row, ordinals(i)); i += 1 }
  }

  def appendAll(rows: RowBuffer): Unit = {
    var i = 0
    while (i < appenders.length) { appenders(i).appendAll(rows, ordinals(i)); i += 1 }
  }
}
