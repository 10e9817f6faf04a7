package io.sparklance.spark.types

/** What the user may choose of the types in which stored ones are shown. */
final case class Showing(lossyValues: LossyValues, blobs: BlobHandling)

object Showing {

  /** As rows are written: blobs as their bytes. */
  val written: Showing = Showing(LossyValues.Fail, BlobHandling.Bytes)
  val default: Showing = Showing(LossyValues.Fail, BlobHandling.Descriptors)
}
