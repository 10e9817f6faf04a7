package io.sparklance.spark.errors

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.{QueryContext, SparkThrowable}

import io.sparklance.{LanceException, LanceFormatException, Location, UnsupportedLanceFeatureException}

/** An error of the connector as Spark shows it, with its condition and SQLSTATE. The cause is the core's
  * exception.
  */
sealed private[sparklance] trait LanceThrowable extends SparkThrowable {
  def problem: LanceException

  private def condition: ErrorCondition = ErrorCondition.of(problem)
  override def getCondition: String = condition.name
  override def getSqlState: String = condition.sqlState
  override def getQueryContext: Array[QueryContext] = Array.empty
  override def getMessageParameters: JMap[String, String] = LanceThrowable.parameters(problem).asJava

  /** Called from Spark 4.3 on, which has no message templates for our conditions. */
  def getDefaultMessageTemplate: String = "<message>"
}

private[sparklance] object LanceThrowable {

  def of(problem: LanceException): Throwable with LanceThrowable = ErrorCondition.of(problem).kind match {
    case ErrorCondition.Kind.Analysis => new LanceAnalysisException(problem)
    case ErrorCondition.Kind.IllegalArgument => new LanceIllegalArgumentException(problem)
    case ErrorCondition.Kind.Unsupported => new LanceUnsupportedOperationException(problem)
  }

  private[errors] def text(problem: LanceException): String = {
    val condition = ErrorCondition.of(problem)
    s"[${condition.name}] ${problem.getMessage} SQLSTATE: ${condition.sqlState}"
  }

  private[errors] def parameters(problem: LanceException): Map[String, String] = {
    val location = problem match {
      case format: LanceFormatException => format.location
      case unsupported: UnsupportedLanceFeatureException => unsupported.location
      case _ => Location()
    }
    Map("message" -> problem.getMessage) ++ location.parts
  }
}

final private class LanceAnalysisException(val problem: LanceException)
    extends AnalysisException(
      LanceThrowable.text(problem),
      None,
      None,
      Some(problem),
      Some(ErrorCondition.of(problem).name),
      LanceThrowable.parameters(problem),
      Array.empty[QueryContext]
    )
    with LanceThrowable {

  /** Returns the exception without a position in the query. Spark's own method returns a copy of another
    * class, and PySpark 4.3 fails on an exception with a position whose condition Spark has no message for.
    */
  override def withPosition(origin: Origin): AnalysisException = this
}

final private class LanceIllegalArgumentException(val problem: LanceException)
    extends IllegalArgumentException(LanceThrowable.text(problem), problem)
    with LanceThrowable

final private class LanceUnsupportedOperationException(val problem: LanceException)
    extends UnsupportedOperationException(LanceThrowable.text(problem), problem)
    with LanceThrowable
