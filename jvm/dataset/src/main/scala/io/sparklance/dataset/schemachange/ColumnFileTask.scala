package io.sparklance.dataset.schemachange

import io.sparklance.dataset.write.{RewriteSettings, WrittenFile}
import io.sparklance.io.ObjectStore

/** A task that writes a file with values of columns for all rows of a fragment, in order. */
private[sparklance] trait ColumnFileTask extends Serializable {
  def fragmentId: Long

  /** Writes the file. A failure leaves none. */
  def write(store: ObjectStore, root: String, settings: RewriteSettings): WrittenFile
}
