package io.sparklance

import java.io.FileNotFoundException

/** Root of every error that this library reports. The message says the problem, its cause and the cure. */
sealed abstract class LanceException(message: String, cause: Throwable)
    extends RuntimeException(message, cause)

/** Bytes on disk contradict the format: truncated, corrupt or crafted. */
final class LanceFormatException(
    val reason: String,
    val location: Location = Location(),
    cause: Throwable = null
) extends LanceException(LanceFormatException.describe(reason, location), cause) {

  /** Returns this failure with the parts of the location that only the caller knows. */
  def at(outer: Location): LanceFormatException =
    new LanceFormatException(reason, location.within(outer), this)
}

object LanceFormatException {

  private def describe(reason: String, location: Location): String = {
    val where = location.toString
    if (where.isEmpty) reason else s"$reason ($where)"
  }

  /** Runs `body`; a failure on bad bytes leaves with `location` added.
    *
    * Decoders bound their reads by checked sizes; an index outside an array can only come from bytes that lie
    * about themselves, so it is reported as such here, at the one place where decoding is entered. The same
    * goes for a stack overflow, which messages nested by the ten thousand cause; and for a missing file, as
    * only other files name it.
    */
  def locating[A](location: => Location)(body: => A): A =
    try body
    catch {
      case e: LanceFormatException => throw e.at(location)
      case e: UnsupportedLanceFeatureException => throw e.at(location)
      case e @ (_: IndexOutOfBoundsException | _: NegativeArraySizeException | _: ArithmeticException) =>
        throw new LanceFormatException(s"corrupt data: ${e.getMessage}", location, e)
      case e: FileNotFoundException =>
        throw new LanceFormatException(
          "the table refers to this file, but the file is missing; it was removed by hand, or together " +
            "with old versions or the whole table",
          location,
          e
        )
      case e: StackOverflowError =>
        throw new LanceFormatException("corrupt data: nested too deep", location, e)
    }
}

/** Well-formed, but of a kind that this version of sparklance does not handle; named in
  * docs/format-coverage.md.
  */
final class UnsupportedLanceFeatureException(
    val feature: String,
    val location: Location = Location(),
    cause: Throwable = null
) extends LanceException(
      s"$feature is not supported by this version of sparklance" +
        (if (location == Location()) "" else s" ($location)") + "; see docs/format-coverage.md",
      cause
    ) {
  def at(outer: Location): UnsupportedLanceFeatureException =
    new UnsupportedLanceFeatureException(feature, location.within(outer), this)
}

/** No table, or no such version of it, where the user pointed. */
final class LanceTableNotFoundException(message: String, cause: Throwable = null)
    extends LanceException(message, cause)

/** Another writer's commit came first and the two cannot both stand. Nothing was committed. */
sealed abstract class CommitConflictException(message: String, cause: Throwable)
    extends LanceException(message, cause)

/** The same, done again on the table as it is by now, may stand. */
final class RetryableCommitConflictException(message: String, cause: Throwable = null)
    extends CommitConflictException(message, cause)

/** The two do not go together: what was to be done has lost its meaning, and must be thought over. */
final class IncompatibleCommitConflictException(message: String, cause: Throwable = null)
    extends CommitConflictException(message, cause)

/** A commit failed so that nobody can tell whether it took effect. Its data files must stay: the table may
  * refer to them.
  */
final class CommitStateUnknownException(message: String, cause: Throwable = null)
    extends LanceException(message, cause)

/** All rows of a table were replaced, and indices that were to be built again afterwards are missing. */
final class IndicesMissingException(message: String, cause: Throwable = null)
    extends LanceException(message, cause)

/** Rows were deleted to erase them, and files or versions still hold them. */
final class ErasureIncompleteException(message: String, cause: Throwable = null)
    extends LanceException(message, cause)

/** The user asked for something that cannot be done as asked: an option, a schema, a value. */
final class LanceUsageException(message: String, cause: Throwable = null)
    extends LanceException(message, cause)

/** Hadoop has no file system for the scheme of a table's path: a jar is missing. */
final class LanceFileSystemNotFoundException(message: String, cause: Throwable = null)
    extends LanceException(message, cause)

/** The store of a table failed: it is full, read-only or away, or denies access. */
final class LanceStorageException(message: String, cause: Throwable = null)
    extends LanceException(message, cause)

/** A catalog's server refused a call, could not be reached, or gave an answer that cannot be used. */
sealed abstract class CatalogServerException(val error: ServerError, message: String, cause: Throwable)
    extends LanceException(message, cause)

/** The server does not let this account do what was asked. */
final class CatalogForbiddenException(message: String, cause: Throwable = null)
    extends CatalogServerException(ServerError.PermissionDenied, message, cause)

/** The server does not accept the credentials: they are missing, wrong or expired. */
final class CatalogUnauthenticatedException(message: String, cause: Throwable = null)
    extends CatalogServerException(ServerError.Unauthenticated, message, cause)

/** The server limits the number of requests. */
final class CatalogThrottledException(message: String, cause: Throwable = null)
    extends CatalogServerException(ServerError.Throttling, message, cause)

/** The server does not answer, or not for now. */
final class CatalogUnavailableException(message: String, cause: Throwable = null)
    extends CatalogServerException(ServerError.ServiceUnavailable, message, cause)

/** Any other failure of a catalog's server. */
final class CatalogErrorException(error: ServerError, message: String, cause: Throwable = null)
    extends CatalogServerException(error, message, cause)
