package io.sparklance.io.hadoop

import java.io.{EOFException, FileNotFoundException, IOException}
import java.nio.file.AccessDeniedException

import scala.annotation.tailrec
import scala.util.{Failure, Random, Success, Try}

import org.apache.hadoop.security.AccessControlException

/** Retries failed requests a few times with growing pauses, for broken connections and busy stores. Most
  * Hadoop clients retry themselves, with more patience; this covers the others.
  */
private object Retries {
  final private val Attempts = 3
  final private val FirstPauseMillis = 100

  /** @param what
    *   the object of the request, for the error message
    * @param failed
    *   is evaluated before each retry
    */
  def apply[A](what: => String, failed: => Unit = ())(body: => A): A = {
    @tailrec def attempt(number: Int): A = Try(body) match {
      case Success(value) => value
      case Failure(e: IOException) if number < Attempts && mayPass(e) =>
        failed
        // Random pauses, so that tasks that failed together do not retry together.
        Thread.sleep(FirstPauseMillis * (1L << 2 * (number - 1)) * (50 + Random.nextInt(100)) / 100)
        attempt(number + 1)
      case Failure(e: IOException) if mayPass(e) && !e.isInstanceOf[EOFException] =>
        throw new IOException(s"$what cannot be read, tried $Attempts times: ${e.getMessage}", e)
      case Failure(e) => throw e
    }
    attempt(1)
  }

  def mayPass(e: IOException): Boolean = e match {
    case _: FileNotFoundException | _: AccessDeniedException | _: AccessControlException |
        _: ClosedFileException => false
    case _ => true
  }
}
