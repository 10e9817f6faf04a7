package io.sparklance.spark.types

/** User options that choose Spark types for stored types. */
final private[sparklance] case class ReadTypeOptions(lossyValues: LossyValues, blobs: BlobHandling)

private[sparklance] object ReadTypeOptions {

  /** Types in which rows are written: blobs are their bytes. */
  val written: ReadTypeOptions = ReadTypeOptions(LossyValues.Fail, BlobHandling.Bytes)
  val default: ReadTypeOptions = ReadTypeOptions(LossyValues.Fail, BlobHandling.Descriptors)
}
