package io.sparklance.file

import io.sparklance.data.DataBlock

/** Tells whether rows of a column can be left out before they are decoded. */
private[sparklance] trait ChunkFilter {

  /** Whether a row with one of these values may be wanted. Rows that are null are not. */
  def mayPass(values: DataBlock): Boolean
}
