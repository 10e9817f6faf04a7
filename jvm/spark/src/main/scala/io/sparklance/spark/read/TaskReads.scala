package io.sparklance.spark.read

import io.sparklance.dataset.scan.ReadStats
import io.sparklance.io.IoStats

/** Counts of a task that reads.
  *
  * @param blobs
  *   statistics of blob reads
  * @param made
  *   number of batches
  * @param nanos
  *   time spent on making batches, without blob reads
  */
final private case class TaskReads(stats: ReadStats, blobs: IoStats, made: Long, nanos: Long)
