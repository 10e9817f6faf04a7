package io.sparklance.spark.errors

import io.sparklance._

/** A kind of error as Spark's users see it; docs/errors.md lists all of them.
  *
  * @param kind
  *   exception class known to PySpark, which determines PySpark's own class
  */
sealed abstract private[sparklance] class ErrorCondition(
    val name: String,
    val sqlState: String,
    val kind: ErrorCondition.Kind
)

private[sparklance] object ErrorCondition {
  import Kind._

  case object TableNotFound extends ErrorCondition("LANCE_TABLE_NOT_FOUND", "42P01", Analysis)
  case object CorruptData extends ErrorCondition("LANCE_CORRUPT_DATA", "XX001", Analysis)
  case object UnsupportedFeature extends ErrorCondition("LANCE_UNSUPPORTED_FEATURE", "0A000", Unsupported)
  case object InvalidUsage extends ErrorCondition("LANCE_INVALID_USAGE", "22023", IllegalArgument)
  case object FileSystemNotFound extends ErrorCondition("LANCE_FILE_SYSTEM_NOT_FOUND", "58000", Analysis)
  case object StorageFault extends ErrorCondition("LANCE_STORAGE_FAULT", "58030", Analysis)
  case object RetryableCommitConflict
      extends ErrorCondition("LANCE_RETRYABLE_COMMIT_CONFLICT", "40001", Analysis)
  case object IncompatibleCommitConflict
      extends ErrorCondition("LANCE_INCOMPATIBLE_COMMIT_CONFLICT", "40000", Analysis)
  case object CommitStateUnknown extends ErrorCondition("LANCE_COMMIT_STATE_UNKNOWN", "40003", Analysis)
  case object IndicesMissing extends ErrorCondition("LANCE_INDICES_MISSING", "55000", Analysis)
  case object ErasureIncomplete extends ErrorCondition("LANCE_ERASURE_INCOMPLETE", "55000", Analysis)
  case object CatalogForbidden extends ErrorCondition("LANCE_CATALOG_FORBIDDEN", "42501", Analysis)
  case object CatalogUnauthenticated
      extends ErrorCondition("LANCE_CATALOG_UNAUTHENTICATED", "28000", Analysis)
  case object CatalogThrottled extends ErrorCondition("LANCE_CATALOG_THROTTLED", "53000", Analysis)
  case object CatalogUnavailable extends ErrorCondition("LANCE_CATALOG_UNAVAILABLE", "08001", Analysis)
  case object CatalogError extends ErrorCondition("LANCE_CATALOG_ERROR", "HV000", Analysis)

  val all: Vector[ErrorCondition] = Vector(
    TableNotFound,
    CorruptData,
    UnsupportedFeature,
    InvalidUsage,
    FileSystemNotFound,
    StorageFault,
    RetryableCommitConflict,
    IncompatibleCommitConflict,
    CommitStateUnknown,
    IndicesMissing,
    ErasureIncomplete,
    CatalogForbidden,
    CatalogUnauthenticated,
    CatalogThrottled,
    CatalogUnavailable,
    CatalogError
  )

  def of(problem: LanceException): ErrorCondition = problem match {
    case _: LanceTableNotFoundException => TableNotFound
    case _: LanceFormatException => CorruptData
    case _: UnsupportedLanceFeatureException => UnsupportedFeature
    case _: LanceUsageException => InvalidUsage
    case _: LanceFileSystemNotFoundException => FileSystemNotFound
    case _: LanceStorageException => StorageFault
    case _: RetryableCommitConflictException => RetryableCommitConflict
    case _: IncompatibleCommitConflictException => IncompatibleCommitConflict
    case _: CommitStateUnknownException => CommitStateUnknown
    case _: IndicesMissingException => IndicesMissing
    case _: ErasureIncompleteException => ErasureIncomplete
    case _: CatalogForbiddenException => CatalogForbidden
    case _: CatalogUnauthenticatedException => CatalogUnauthenticated
    case _: CatalogThrottledException => CatalogThrottled
    case _: CatalogUnavailableException => CatalogUnavailable
    case _: CatalogErrorException => CatalogError
  }

  /** Exception classes that may be extended and that PySpark and Spark Connect show in one line. */
  sealed trait Kind

  object Kind {
    case object Analysis extends Kind
    case object IllegalArgument extends Kind
    case object Unsupported extends Kind
  }
}
