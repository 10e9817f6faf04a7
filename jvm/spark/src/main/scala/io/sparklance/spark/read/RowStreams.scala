package io.sparklance.spark.read

import org.apache.spark.sql.connector.read.streaming.MicroBatchStream

/** Streams of a table's rows. */
private[sparklance] trait RowStreams {

  /** Refuses options that only streams have. */
  def refuseInBatch(): Unit

  /** Returns a stream of the rows of a scan. */
  def of(spec: ScanSpec): MicroBatchStream
}
