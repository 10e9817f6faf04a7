package io.sparklance

/** Failures with what led to them. */
private[sparklance] object Causes {

  /** Returns a failure, its cause, the cause of that, and so on. */
  def of(failure: Throwable): Iterator[Throwable] =
    Iterator.iterate(failure)(_.getCause).takeWhile(_ != null)
}
