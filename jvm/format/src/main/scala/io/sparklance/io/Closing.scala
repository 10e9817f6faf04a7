package io.sparklance.io

import scala.util.Try

/** Closes several resources, all of them even if one fails. */
private[sparklance] object Closing {

  /** Closes all. Throws the first failure. */
  def all(things: Iterable[AutoCloseable]): Unit = {
    val failures = failuresOf(things)
    failures.headOption.foreach { first =>
      failures.tail.foreach(first.addSuppressed)
      throw first
    }
  }

  /** Closes all after a failure, to which further failures are added as suppressed. */
  def after(failure: Throwable, things: Iterable[AutoCloseable]): Unit =
    failuresOf(things).foreach(failure.addSuppressed)

  /** Runs `body`; closes `thing` if it fails. */
  def ifFailed[A](thing: AutoCloseable)(body: => A): A =
    try body
    catch {
      case e: Throwable =>
        after(e, Vector(thing))
        throw e
    }

  private def failuresOf(things: Iterable[AutoCloseable]): Vector[Throwable] =
    things.iterator.flatMap(thing => Try(thing.close()).failed.toOption).toVector
}
