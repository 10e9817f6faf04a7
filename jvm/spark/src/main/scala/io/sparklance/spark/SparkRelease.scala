package io.sparklance.spark

import org.apache.spark.SPARK_VERSION

/** Checks the release of Spark. It uses nothing that earlier releases, and their Scala, lack. */
private[spark] object SparkRelease {

  def isKnown: Boolean = !SPARK_VERSION.startsWith("3.") && !SPARK_VERSION.startsWith("2.")

  def needed: String = "sparklance needs Spark 4.0 or later, but this is Spark ".concat(SPARK_VERSION)
    .concat(". Install a later Spark: pip install 'pyspark>=4.0'.")

  def check(): Unit = if (!isKnown) throw new UnsupportedOperationException(needed)
}

/** Checks the release before the traits of a class are initialized, on which earlier releases fail. */
abstract private[spark] class KnownRelease {
  SparkRelease.check()
}
