package io.sparklance.spark.errors

import io.sparklance.LanceException

/** Translates the core's exceptions where Spark has called us and gets control back. Every such entry does
  * so: Spark hands on what it knows (`SparkThrowable`), also from tasks, and wraps or prints all else.
  */
private[sparklance] object SparkErrors {

  def translating[A](body: => A): A =
    try body
    catch translation

  /** For methods that are called for each row. */
  val translation: PartialFunction[Throwable, Nothing] = {
    case problem: LanceException => throw LanceThrowable.of(problem)
  }

  /** Translates an exception that is stored, and thrown later. */
  def translated(failure: Throwable): Throwable = failure match {
    case problem: LanceException => LanceThrowable.of(problem)
    case other => other
  }
}
