package io.sparklance.table

/** How a deletion file stores the offsets of deleted rows, and the ending of its name. */
sealed abstract class DeletionFileKind(val suffix: String) extends Serializable

object DeletionFileKind {

  /** An Arrow IPC file with one column of offsets. */
  case object ArrowArray extends DeletionFileKind("arrow")

  /** A Roaring bitmap. */
  case object Bitmap extends DeletionFileKind("bin")
}
