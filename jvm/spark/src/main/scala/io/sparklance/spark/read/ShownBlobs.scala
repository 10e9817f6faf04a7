package io.sparklance.spark.read

import io.sparklance.data.DataBlock

/** Blobs of a column in the current batch. */
private[sparklance] trait ShownBlobs {
  def show(descriptors: DataBlock): Unit

  /** Returns the bytes of a valid blob. */
  def bytes(index: Int): Array[Byte]
}
