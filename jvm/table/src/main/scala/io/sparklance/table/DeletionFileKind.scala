package io.sparklance.table

/** Encoding of the offsets of deleted rows, with the suffix of its file name. */
sealed abstract private[sparklance] class DeletionFileKind(val suffix: String) extends Serializable

private[sparklance] object DeletionFileKind {

  /** An Arrow IPC file with one column of offsets. */
  case object ArrowArray extends DeletionFileKind("arrow")

  /** A Roaring bitmap. */
  case object Bitmap extends DeletionFileKind("bin")
}
