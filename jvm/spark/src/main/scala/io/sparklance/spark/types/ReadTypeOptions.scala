package io.sparklance.spark.types

/** What the user may choose of the types in which stored ones are shown. */
final case class ReadTypeOptions(lossyValues: LossyValues, blobs: BlobHandling)

object ReadTypeOptions {

  /** As rows are written: blobs as their bytes. */
  val written: ReadTypeOptions = ReadTypeOptions(LossyValues.Fail, BlobHandling.Bytes)
  val default: ReadTypeOptions = ReadTypeOptions(LossyValues.Fail, BlobHandling.Descriptors)
}
