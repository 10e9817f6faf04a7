package io.sparklance

/** An error of the namespace specification.
  *
  * @param words
  *   the error in messages
  */
sealed abstract class ServerError(val code: Int, val words: String) extends Product with Serializable

object ServerError {
  case object Unsupported extends ServerError(0, "the server does not support this")
  case object NamespaceNotFound extends ServerError(1, "there is no such namespace")
  case object NamespaceAlreadyExists extends ServerError(2, "the namespace exists already")
  case object NamespaceNotEmpty extends ServerError(3, "the namespace is not empty")
  case object TableNotFound extends ServerError(4, "there is no such table")
  case object TableAlreadyExists extends ServerError(5, "the table exists already")
  case object TableIndexNotFound extends ServerError(6, "there is no such index")
  case object TableIndexAlreadyExists extends ServerError(7, "the index exists already")
  case object TableTagNotFound extends ServerError(8, "there is no such tag")
  case object TableTagAlreadyExists extends ServerError(9, "the tag exists already")
  case object TransactionNotFound extends ServerError(10, "there is no such transaction")
  case object TableVersionNotFound extends ServerError(11, "there is no such version")
  case object TableColumnNotFound extends ServerError(12, "there is no such column")
  case object InvalidInput extends ServerError(13, "the server calls the request invalid")
  case object ConcurrentModification extends ServerError(14, "another change came first")
  case object PermissionDenied extends ServerError(15, "this account may not do that")
  case object Unauthenticated extends ServerError(16, "the credentials are missing, wrong or expired")
  case object ServiceUnavailable extends ServerError(17, "the server is not available")
  case object Internal extends ServerError(18, "the server failed")
  case object InvalidTableState extends ServerError(19, "the table's state does not allow that")
  case object TableSchemaValidationError extends ServerError(20, "the schema is invalid")
  case object Throttling extends ServerError(21, "there were too many requests")
  case object TableBranchNotFound extends ServerError(22, "there is no such branch")
  case object TableBranchAlreadyExists extends ServerError(23, "the branch exists already")

  /** Errors in the order of their codes. */
  val all: Vector[ServerError] = Vector(
    Unsupported,
    NamespaceNotFound,
    NamespaceAlreadyExists,
    NamespaceNotEmpty,
    TableNotFound,
    TableAlreadyExists,
    TableIndexNotFound,
    TableIndexAlreadyExists,
    TableTagNotFound,
    TableTagAlreadyExists,
    TransactionNotFound,
    TableVersionNotFound,
    TableColumnNotFound,
    InvalidInput,
    ConcurrentModification,
    PermissionDenied,
    Unauthenticated,
    ServiceUnavailable,
    Internal,
    InvalidTableState,
    TableSchemaValidationError,
    Throttling,
    TableBranchNotFound,
    TableBranchAlreadyExists
  )

  /** Returns the error of a code, unless a later specification added it. */
  def of(code: Int): Option[ServerError] = all.lift(code)
}
