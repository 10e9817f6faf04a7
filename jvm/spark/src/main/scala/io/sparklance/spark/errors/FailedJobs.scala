package io.sparklance.spark.errors

import org.apache.spark.SparkException

import io.sparklance.{Causes, LanceException}

/** Jobs of the connector itself, such as builds of indices: their tasks have no entry that translates. */
private[errors] object FailedJobs {
  private val MostCauses = 20

  /** Matches a job that failed by an error of ours, or by a store that our code used. */
  def unapply(thrown: Throwable): Option[LanceException] = thrown match {
    case job: SparkException =>
      val causes = Causes.of(job).take(MostCauses).toVector
      causes.collectFirst {
        case _: LanceThrowable => None
        case problem: LanceException => Some(problem)
        case fault @ StorageFaults(problem) if isOurs(fault) => Some(problem)
      }.flatten
    case _ => None
  }

  private def isOurs(fault: Throwable): Boolean =
    fault.getStackTrace.exists(_.getClassName.startsWith("io.sparklance."))
}
