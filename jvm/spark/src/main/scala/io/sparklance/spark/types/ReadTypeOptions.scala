package io.sparklance.spark.types

/** User options for the Spark types of stored types. */
final private[sparklance] case class ReadTypeOptions(lossyValues: LossyValues, blobs: BlobHandling)

private[sparklance] object ReadTypeOptions {

  /** As rows are written: blobs as their bytes. */
  val written: ReadTypeOptions = ReadTypeOptions(LossyValues.Fail, BlobHandling.Bytes)
  val default: ReadTypeOptions = ReadTypeOptions(LossyValues.Fail, BlobHandling.Descriptors)
}
