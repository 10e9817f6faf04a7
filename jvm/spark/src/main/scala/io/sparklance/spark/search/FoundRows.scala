package io.sparklance.spark.search

import org.apache.spark.sql.connector.metric.CustomTaskMetric

/** @param answers for each query */
final private[search] case class FoundRows(answers: Vector[RankedRows], metrics: Array[CustomTaskMetric])
