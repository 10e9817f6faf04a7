package io.sparklance.dataset.schemachange

import io.sparklance.dataset.write.{RewriteSettings, WrittenFile}
import io.sparklance.io.ObjectStore

/** A task that writes a file with values of columns for all rows of a fragment, in order. */
private[sparklance] trait ColumnFileTask extends Serializable {

  /** The fragments that get the file: several if its values are theirs, too. */
  def fragmentIds: Vector[Long]

  /** Writes the file. A failure leaves none. */
  def write(store: ObjectStore, root: String, settings: RewriteSettings): WrittenFile
}
