package io.sparklance.spark.catalog

import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException

import io.sparklance.RetryableCommitConflictException
import io.sparklance.spark.errors.LanceThrowable

/** The creation of a table at a place that was empty when the statement began. */
private[spark] object RacedCreation {

  /** Creates the table; runs `lost` with the failure if another writer created one first. */
  def ifLost(lost: Throwable => Unit)(create: => Unit): Unit =
    try create
    catch {
      case e: TableAlreadyExistsException => lost(e)
      case e: Throwable if isLost(e) => lost(e)
    }

  private def isLost(failure: Throwable): Boolean = failure match {
    case ours: LanceThrowable => isLost(ours.problem)
    case _: RetryableCommitConflictException => true
    case _ => false
  }
}
