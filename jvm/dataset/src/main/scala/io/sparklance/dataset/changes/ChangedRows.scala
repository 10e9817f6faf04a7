package io.sparklance.dataset.changes

import java.time.Instant

import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset

/** Rows of one kind of change in one commit.
  *
  * @param dataset
  *   the version that has these rows, with only the fragments that have some, and with the columns of the
  *   read
  * @param addresses
  *   addresses of the rows
  * @param version
  *   version that made the change
  * @param timestamp
  *   time of that version
  */
final private[sparklance] case class ChangedRows(
    kind: ChangeKind,
    dataset: Dataset,
    addresses: RowRanges,
    version: Long,
    timestamp: Instant
)
