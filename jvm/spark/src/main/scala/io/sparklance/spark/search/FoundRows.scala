package io.sparklance.spark.search

import org.apache.spark.sql.connector.metric.CustomTaskMetric

/** Rows that a search found, and what it took.
  *
  * @param answers
  *   for each query
  */
final private[search] case class FoundRows(answers: Vector[RankedRows], metrics: Array[CustomTaskMetric])
