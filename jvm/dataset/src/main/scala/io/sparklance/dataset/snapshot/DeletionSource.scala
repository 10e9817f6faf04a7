package io.sparklance.dataset.snapshot

import io.sparklance.table.DeletionFileKind

/** The deletion file of a fragment.
  *
  * @param path
  *   absolute
  * @param rows
  *   how many rows it deletes, if the manifest tells
  */
final private[sparklance] case class DeletionSource(path: String, kind: DeletionFileKind, rows: Option[Long])
