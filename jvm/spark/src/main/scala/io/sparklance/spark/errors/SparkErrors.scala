package io.sparklance.spark.errors

import org.apache.spark.SparkException

import io.sparklance.{Causes, LanceException}

/** Translates the core's exceptions at every entry from Spark into the connector. Spark passes on exceptions
  * that it knows (`SparkThrowable`), also from tasks, and wraps or prints all others.
  */
private[sparklance] object SparkErrors {

  def translating[A](body: => A): A =
    try body
    catch translation

  /** Translation without a closure, for methods that run for each row. */
  val translation: PartialFunction[Throwable, Nothing] = {
    case problem: LanceException => throw LanceThrowable.of(problem)
    case StorageFaults(problem) => throw LanceThrowable.of(problem)
    case job @ FailedJobs(problem) =>
      val ours = LanceThrowable.of(problem)
      ours.addSuppressed(job)
      throw ours
  }

  /** Translates an exception that is stored, and thrown later. */
  def translated(failure: Throwable): Throwable = failure match {
    case problem: LanceException => LanceThrowable.of(problem)
    case StorageFaults(problem) => LanceThrowable.of(problem)
    case other => other
  }
}

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
