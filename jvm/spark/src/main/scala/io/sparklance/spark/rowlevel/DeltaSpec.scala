package io.sparklance.spark.rowlevel

import org.apache.spark.sql.connector.write.LogicalWriteInfo

import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.spark.write.WriteSpec
import io.sparklance.table.WriteId

/** What tasks have to know in order to change rows.
  *
  * @param address which column of Spark's row ids is the address
  * @param rowId which of its metadata columns is the stable id, if there is one that rows keep
  * @param rows how rows are written that were changed or are new; none if there will not be any
  * @param write which names all files
  */
final private[spark] case class DeltaSpec(
    address: Int,
    rowId: Option[Int],
    rows: Option[WriteSpec],
    write: WriteId
)

private[spark] object DeltaSpec {

  /** Of a statement that only deletes. */
  def deleting(info: LogicalWriteInfo): DeltaSpec =
    DeltaSpec(addressIn(info), None, None, WriteId.random())

  /** Of others. */
  def changing(info: LogicalWriteInfo, rows: WriteSpec): DeltaSpec = {
    val metadata = info.metadataSchema().map[Option[Int]] { columns =>
      Option(columns.fieldNames.indexOf(MetadataColumn.RowId.name)).filter(_ >= 0)
    }
    val rowId = metadata.orElse(None)
    // Of rows that keep their ids and new ones, each have files of their own, at the same time.
    val share = if (rowId.isEmpty) 1 else 2
    val limits = rows.limits.copy(bufferBytes = rows.limits.bufferBytes / share)
    DeltaSpec(addressIn(info), rowId, Some(rows.copy(limits = limits)), rows.write)
  }

  private def addressIn(info: LogicalWriteInfo): Int =
    info.rowIdSchema().map[Int](_.fieldIndex(MetadataColumn.RowAddr.name)).orElse(0)
}
