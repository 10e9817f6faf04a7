package io.sparklance.spark.errors

import java.io.{FileNotFoundException, IOException, InterruptedIOException, UncheckedIOException}
import java.net.{ConnectException, NoRouteToHostException, SocketTimeoutException, UnknownHostException}
import java.nio.channels.ClosedChannelException
import java.nio.file.{AccessDeniedException, FileAlreadyExistsException, NoSuchFileException}

import org.apache.hadoop.security.AccessControlException
import org.apache.spark.SparkException

import io.sparklance.{Causes, LanceException, LanceStorageException}

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

/** Faults of stores as their file systems report them, in one line with a cure. */
private[errors] object StorageFaults {

  /** Matches a fault. The end of a task that Spark has cancelled is none. */
  def unapply(thrown: Throwable): Option[LanceStorageException] = thrown match {
    case _: SocketTimeoutException => Some(problem(thrown))
    case _: InterruptedIOException | _: ClosedChannelException => None
    case _: IOException => Some(problem(thrown))
    // A list of files fails by it.
    case unchecked: UncheckedIOException => unapply(unchecked.getCause)
    case _ => None
  }

  private def problem(fault: Throwable) =
    new LanceStorageException(s"The store failed: ${said(fault)}. ${cure(fault)}", fault)

  private def said(fault: Throwable): String = fault match {
    case e: NoSuchFileException if e.getReason == null => s"there is no file or directory ${e.getFile}"
    case e: AccessDeniedException if e.getReason == null => s"access to ${e.getFile} is denied"
    case e: FileAlreadyExistsException if e.getReason == null => s"${e.getFile} exists already"
    case e =>
      val text = Option(e.getMessage).map(_.replaceAll("\\s+", " ").trim.stripSuffix(".")).filter(_.nonEmpty)
      text.fold(e.getClass.getSimpleName)(text =>
        if (text.length > Longest) text.take(Longest) + "…" else text
      )
  }

  private def cure(fault: Throwable): String = {
    val text = Causes.of(fault).take(Deepest).map(_.toString).mkString(" ").toLowerCase
    fault match {
      case _ if text.contains("no space left") || text.contains("quota") =>
        "Free space there, or write to another place, and run the statement again."
      case _ if text.contains("read-only file system") => "Write to a place that is not read-only."
      case _: AccessDeniedException | _: AccessControlException => Rights
      case _ if text.contains("permission denied") => Rights
      case _: UnknownHostException | _: ConnectException | _: NoRouteToHostException |
          _: SocketTimeoutException =>
        "Check the address and the network, and run the statement again."
      case _: FileNotFoundException | _: NoSuchFileException =>
        "Check the path, and whether its directories can be made there."
      case _ => "Check the path and the store, and run the statement again."
    }
  }

  private val Rights = "Give the user who runs Spark the right, or use another place."
  private val Longest = 500
  private val Deepest = 10
}
