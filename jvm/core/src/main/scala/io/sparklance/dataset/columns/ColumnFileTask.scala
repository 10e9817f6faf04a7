package io.sparklance.dataset.columns

import io.sparklance.dataset.WrittenFile
import io.sparklance.dataset.compaction.RewriteSettings
import io.sparklance.io.ObjectStore

/** A file with values of some columns for all rows of a fragment, in their order, that is to be written. */
trait ColumnFileTask extends Serializable {
  def fragmentId: Long

  /** A failure leaves no file. */
  def write(store: ObjectStore, root: String, settings: RewriteSettings): WrittenFile
}
