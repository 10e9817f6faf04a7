package io.sparklance.spark.read

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.StoredWidth
import io.sparklance.schema.Field
import io.sparklance.spark.types.{BlobHandling, ReadTypeOptions}

/** A number of rows, and about how many bytes they have.
  *
  * @param whole
  *   bytes of the rows with all of their columns, if that is known without a read
  */
final private[spark] class ExpectedRows(count: Long, whole: Option[Long], bytes: => Long) {
  def within(mostRows: Long, mostBytes: Long): Boolean =
    count <= mostRows && (whole.exists(_ <= mostBytes) || bytes <= mostBytes)
}

private[spark] object ExpectedRows {

  /** Rows of a known size. */
  def apply(count: Long, bytes: Long): ExpectedRows = new ExpectedRows(count, None, bytes)

  /** Returns the size of rows with some columns, unless these are blobs to read. */
  def of(
      dataset: Dataset,
      projection: Vector[Field],
      readTypes: ReadTypeOptions,
      count: Long
  ): Option[ExpectedRows] = {
    val readsBlobs =
      readTypes.blobs == BlobHandling.Bytes && projection.flatMap(_.preOrder).exists(_.isBlob)
    Option.unless(readsBlobs) {
      def held = LanceStatistics.inMemory(projection, readTypes)
      def width = math.max(held, StoredWidth.of(dataset, projection).getOrElse(0.0))
      val whole = StoredWidth.ofFiles(dataset).map(stored => (count * (stored + 8 * projection.size)).toLong)
      new ExpectedRows(count, whole, (count * width).toLong)
    }
  }
}
