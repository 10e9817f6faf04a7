package io.sparklance.dataset.validation

import java.io.IOException

import scala.util.control.NonFatal

import io.sparklance.LanceException

/** What is wrong with a table.
  *
  * @param fragment where, if it is one's
  * @param file likewise
  */
final case class Problem(message: String, fragment: Option[Long] = None, file: Option[String] = None)

private[validation] object Problem {

  /** What a look at the table finds, a failure to look included. */
  def found(
      fragment: Option[Long] = None,
      file: Option[String] = None
  )(look: => Vector[Problem]): Vector[Problem] =
    try look
    catch {
      case e: LanceException => Vector(Problem(e.getMessage, fragment, file))
      case e: IOException => Vector(Problem(s"cannot be read: ${e.getMessage}", fragment, file))
      case NonFatal(e) => Vector(Problem(s"cannot be read: $e", fragment, file))
    }

  def when(condition: Boolean)(problem: => Problem): Vector[Problem] =
    if (condition) Vector(problem) else Vector.empty
}
