package io.sparklance.dataset.snapshot

import scala.collection.immutable.ArraySeq

import io.sparklance.table.rowid.{RowIdSequence, RowNumbers, RowVersions}

/** A metadata column of a fragment, as the manifest has it. */
sealed private[sparklance] trait NumberSource extends Product with Serializable {
  def column: MetadataColumn
  def message: ArraySeq[Byte]

  /** @param rows how many it has numbers of */
  def parse(rows: Long): RowNumbers

  def withMessage(bytes: Array[Byte]): NumberSource
}

/** Stable row ids of a fragment.
  *
  * @param message
  *   `RowIdSequence`
  */
final private[sparklance] case class RowIdSource(message: ArraySeq[Byte]) extends NumberSource {
  def column: MetadataColumn = MetadataColumn.RowId
  def parse(rows: Long): RowIdSequence = RowIdSequence.parse(message.toArray, rows)
  def withMessage(bytes: Array[Byte]): RowIdSource = RowIdSource(ArraySeq.unsafeWrapArray(bytes))
}

/** Versions in which the rows of a fragment were created or last updated.
  *
  * @param message
  *   `RowDatasetVersionSequence`
  */
final private[sparklance] case class RowVersionSource(column: MetadataColumn, message: ArraySeq[Byte])
    extends NumberSource {
  def parse(rows: Long): RowNumbers = RowVersions.parse(message.toArray, rows)
  def withMessage(bytes: Array[Byte]): RowVersionSource = copy(message = ArraySeq.unsafeWrapArray(bytes))
}
