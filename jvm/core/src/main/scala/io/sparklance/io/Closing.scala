package io.sparklance.io

import scala.util.Try

/** Closes things of which one may fail, and leaves none open. */
private[sparklance] object Closing {

  /** Fails as the first that does. */
  def all(things: Iterable[AutoCloseable]): Unit = {
    val failures = failuresOf(things)
    failures.headOption.foreach { first =>
      failures.tail.foreach(first.addSuppressed)
      throw first
    }
  }

  /** When something has failed already. */
  def after(failure: Throwable, things: Iterable[AutoCloseable]): Unit =
    failuresOf(things).foreach(failure.addSuppressed)

  private def failuresOf(things: Iterable[AutoCloseable]): Vector[Throwable] =
    things.iterator.flatMap(thing => Try(thing.close()).failed.toOption).toVector
}
