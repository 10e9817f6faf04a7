package io.sparklance.spark.isolation

import scala.util.Try

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.sparklance.spark.SparkSuite

/** Statements of which one commits while another runs. */
abstract class IsolationSuite extends SparkSuite {

  /** Runs a statement that has read its table before `other` commits. */
  protected def during(statement: String)(other: => Any): Try[Any] =
    during(spark.sessionState.sqlParser.parsePlan(statement))(other)

  protected def during(statement: LogicalPlan)(other: => Any): Try[Any] = {
    val running = spark.sessionState.executePlan(statement)
    val _ = running.analyzed
    val _ = other
    Try(running.commandExecuted)
  }

  /** Failures, from the outermost one to its first cause. */
  protected def causes(result: Try[Any]): Seq[Throwable] =
    result.failed.toOption.toSeq.flatMap(Iterator.iterate(_)(_.getCause).takeWhile(_ != null))
}
