package io.sparklance.spark.errors

import io.sparklance.LanceException

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
