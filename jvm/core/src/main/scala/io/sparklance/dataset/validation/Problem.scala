package io.sparklance.dataset.validation

import java.io.IOException

import scala.util.control.NonFatal

import io.sparklance.LanceException

/** A fault of a table.
  *
  * @param fragment
  *   the fragment, if it belongs to one
  * @param file
  *   the file, if it belongs to one
  */
final private[sparklance] case class Problem(
    message: String,
    fragment: Option[Long] = None,
    file: Option[String] = None
)

private[validation] object Problem {

  /** Runs a check; its failure counts as a problem. */
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
