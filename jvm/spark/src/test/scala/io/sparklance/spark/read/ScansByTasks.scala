package io.sparklance.spark.read

import org.scalatest.Outcome

import io.sparklance.spark.SparkSuite

/** Has tasks read small results, too, so that tests see how. */
trait ScansByTasks extends SparkSuite {
  override def withFixture(test: NoArgTest): Outcome =
    withSetting("spark.datasource.lance.localResultBytes", "0")(super.withFixture(test))
}
