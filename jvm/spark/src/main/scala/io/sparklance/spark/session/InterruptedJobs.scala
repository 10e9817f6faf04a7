package io.sparklance.spark.session

import java.nio.channels.ClosedByInterruptException
import java.util.UUID

import org.apache.spark.sql.SparkSession

import io.sparklance.Causes

/** Jobs whose thread was interrupted, as by the stop button of a notebook. Spark would go on with them,
  * though nobody waits for their results any more.
  */
private[spark] object InterruptedJobs {
  private val MostCauses = 20

  /** Runs `body`, and cancels its jobs if it ends by an interrupt. */
  def ending[A](body: => A): A = {
    val context = SparkSession.active.sparkContext
    val tag = s"sparklance-${UUID.randomUUID}"
    context.addJobTag(tag)
    try body
    catch {
      case e: Throwable =>
        if (Thread.currentThread().isInterrupted || isInterrupt(e)) context.cancelJobsWithTag(tag)
        e match {
          // It has no message, and looks like a failure of the disk.
          case closed: ClosedByInterruptException =>
            throw new InterruptedException("the statement was interrupted").initCause(closed)
          case other => throw other
        }
    } finally context.removeJobTag(tag)
  }

  private def isInterrupt(failure: Throwable): Boolean =
    Causes.of(failure).take(MostCauses).exists {
      case _: InterruptedException | _: ClosedByInterruptException => true
      case _ => false
    }
}
