package io.sparklance.spark.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{PartitionReader, Scan}

/** A scan that the driver reads itself if it returns few rows, because that is faster than a job. */
private[spark] trait DriverReadable extends Scan {

  /** The most rows that the scan returns. None if that is unknown before it runs, or if tasks must read. */
  def expected: Option[ExpectedRows]

  /** Returns readers of the rows, in order.
    *
    * @param most
    *   bytes of rows that may be in memory
    * @throws BeyondDriver
    *   if it turns out that there are more
    */
  def driverReaders(most: Long): Iterator[PartitionReader[InternalRow]]
}
