package io.sparklance.dataset.schemachange

import io.sparklance.dataset.write.{RewriteSettings, WrittenFile}
import io.sparklance.io.ObjectStore

/** A file with values of some columns for all rows of a fragment, in their order, that is to be written. */
trait ColumnFileTask extends Serializable {
  def fragmentId: Long

  /** A failure leaves no file. */
  def write(store: ObjectStore, root: String, settings: RewriteSettings): WrittenFile
}
