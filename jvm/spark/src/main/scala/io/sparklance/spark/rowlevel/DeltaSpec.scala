package io.sparklance.spark.rowlevel

import org.apache.spark.sql.connector.write.LogicalWriteInfo

import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.spark.write.{KeySpec, WriteSpec}
import io.sparklance.table.WriteId

/** Everything that tasks of a row-level operation need.
  *
  * @param address
  *   position of the address in Spark's row ids
  * @param rowId
  *   position of the stable id among the metadata columns, if rows keep one
  * @param rows
  *   how changed and new rows are written; None if there are none
  * @param write
  *   mark of all files
  * @param keys
  *   key of inserted rows, whose values are collected
  * @param columns
  *   how columns of changed rows are written; None if they are written as rows
  */
final private[spark] case class DeltaSpec(
    address: Int,
    rowId: Option[Int],
    rows: Option[WriteSpec],
    write: WriteId,
    keys: Option[KeySpec] = None,
    columns: Option[ColumnsSpec] = None
)

private[spark] object DeltaSpec {

  /** Spec of a statement that writes columns of changed rows in place.
    *
    * @param rows
    *   how new rows are written; None if there are none
    */
  def inPlace(info: LogicalWriteInfo, columns: ColumnsSpec, rows: Option[WriteSpec]): DeltaSpec = DeltaSpec(
    addressIn(info),
    rowId = None,
    rows.map(_.copy(keys = None)),
    columns.format.write,
    rows.flatMap(_.keys),
    Some(columns)
  )

  /** Spec of a statement that only deletes. */
  def deleting(info: LogicalWriteInfo): DeltaSpec =
    DeltaSpec(addressIn(info), None, None, WriteId.random())

  /** Spec of other statements.
    *
    * @param keepsIds
    *   whether changed rows keep their ids
    */
  def changing(info: LogicalWriteInfo, rows: WriteSpec, keepsIds: Boolean): DeltaSpec = {
    val metadata = info.metadataSchema().map[Option[Int]] { columns =>
      Option(columns.fieldNames.indexOf(MetadataColumn.RowId.name)).filter(_ >= 0)
    }
    // The statement may name `_rowid` also where rows have no ids of their own.
    val rowId = metadata.orElse(None).filter(_ => keepsIds)
    // With stable ids, updated and new rows go to separate files, which are open at the same time and share
    // the buffer.
    val share = if (rowId.isEmpty) 1 else 2
    val limits = rows.limits.copy(bufferBytes = rows.limits.bufferBytes / share)
    // Only inserted rows have keys to collect.
    DeltaSpec(addressIn(info), rowId, Some(rows.copy(limits = limits, keys = None)), rows.write, rows.keys)
  }

  private def addressIn(info: LogicalWriteInfo): Int =
    info.rowIdSchema().map[Int](_.fieldIndex(MetadataColumn.RowAddr.name)).orElse(0)
}
