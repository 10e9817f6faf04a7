package io.sparklance.spark.read

import org.apache.spark.sql.connector.read.InputPartition

import io.sparklance.dataset.scan.Split

/** A split as Spark's partition.
  *
  * @param split
  *   rows to read, with everything that reading needs
  */
final private[sparklance] case class LanceInputPartition(split: Split) extends InputPartition
