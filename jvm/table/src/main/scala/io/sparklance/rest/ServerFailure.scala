package io.sparklance.rest

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.sparklance.rest.ServerCall.{OfNamespace, OfTable}
import io.sparklance.{
  CatalogErrorException,
  CatalogForbiddenException,
  CatalogServerException,
  CatalogThrottledException,
  CatalogUnauthenticatedException,
  CatalogUnavailableException,
  ServerError
}

/** Exceptions for failed calls. The code in the body decides; servers of older specifications write HTTP's
  * status there, and proxies have no body of the specification.
  */
final private[rest] class ServerFailure(options: ServerOptions, call: ServerCall) {
  import ServerFailure._

  /** The failure that an answer tells. */
  def of(status: Int, body: Array[Byte]): CatalogServerException = {
    val json = Try(mapper.readTree(body)).toOption.filter(_.isObject)
    val message = json.flatMap(text(_, "error")).orElse(json.flatMap(text(_, "message")))
    json.flatMap(codeOf).map(actual(_, message)).orElse(byStatus(status, isOfServer = json.isDefined)) match {
      case Some(error) => exception(error, message.fold("")(said => s": ${shown(said)}"))
      case None => unusable(s"answers with status $status and ${excerpt(body)}")
    }
  }

  /** An answer that is not of the specification. */
  def unusable(what: String, cause: Throwable = null): CatalogServerException = new CatalogErrorException(
    ServerError.Internal,
    s"The server at $options $what for $asked. Look at the server, and whether 'uri' is the address of a Lance namespace.",
    cause
  )

  /** A call without an answer. */
  def unanswered(cause: Throwable, attempts: Int): CatalogServerException = {
    val tries = if (attempts > 1) s", tried $attempts times" else ""
    val effect =
      if (call.isRepeatable) "" else " It may have taken effect: look at the catalog before you repeat it."
    new CatalogUnavailableException(
      s"The server at $options did not answer $asked (${shown(described(cause))}$tries).$effect Check its address and the network.",
      cause
    )
  }

  private def exception(error: ServerError, said: String): CatalogServerException = {
    val text = s"The server at $options refuses $asked: ${error.words}$said."
    error match {
      case ServerError.PermissionDenied =>
        new CatalogForbiddenException(s"$text Ask for the right, or use another account.")
      case ServerError.Unauthenticated =>
        new CatalogUnauthenticatedException(
          s"$text Set the catalog's auth_token, api_key or headers.… to valid ones; the next statement uses them."
        )
      case ServerError.Throttling => new CatalogThrottledException(s"$text Repeat it later.")
      case ServerError.ServiceUnavailable => new CatalogUnavailableException(s"$text Repeat it later.")
      case ServerError.Unsupported =>
        new CatalogErrorException(
          error,
          s"$text The server, or the version of the specification that it implements, lacks ${call.operation}; do without, or " +
            "use another server."
        )
      case other => new CatalogErrorException(other, text)
    }
  }

  private def asked: String = s"${call.operation} of ${call.subject}"

  /** The reference's server reports calls that it lacks as internal errors. */
  private def actual(error: ServerError, message: Option[String]): ServerError = error match {
    case ServerError.Internal if message.exists(said => Lacking.exists(said.startsWith)) =>
      ServerError.Unsupported
    case other => other
  }

  private def byStatus(status: Int, isOfServer: Boolean): Option[ServerError] = status match {
    case 401 => Some(ServerError.Unauthenticated)
    case 403 => Some(ServerError.PermissionDenied)
    case 429 => Some(ServerError.Throttling)
    case 502 | 503 | 504 => Some(ServerError.ServiceUnavailable)
    case 404 if isOfServer => Some(missing)
    case 409 if isOfServer => Some(taken)
    case 404 | 405 | 406 | 501 => Some(ServerError.Unsupported)
    case 400 if isOfServer => Some(ServerError.InvalidInput)
    case _ if isOfServer => Some(ServerError.Internal)
    case _ => None
  }

  private def missing: ServerError = call.subject match {
    case OfNamespace(_) => ServerError.NamespaceNotFound
    case OfTable(_) => ServerError.TableNotFound
  }

  private def taken: ServerError = call.subject match {
    case OfNamespace(_) if call.operation == "drop_namespace" => ServerError.NamespaceNotEmpty
    case OfNamespace(_) => ServerError.NamespaceAlreadyExists
    case OfTable(_) if call.operation.endsWith("_version") => ServerError.ConcurrentModification
    case OfTable(_) => ServerError.TableAlreadyExists
  }

  private def excerpt(body: Array[Byte]): String =
    if (body.isEmpty) "no body"
    else s"'${shown(new String(body.take(Excerpt), UTF_8))}'"

  /** Text of others in one line, without secrets. */
  private def shown(text: String): String =
    options.redacted(text.take(Longest)).map(c => if (c.isControl) ' ' else c).trim.stripSuffix(".")
}

private[rest] object ServerFailure {
  private[rest] val mapper = new ObjectMapper
  private val Excerpt = 200
  private val Longest = 1000
  private val Lacking = Seq("Not supported:", "Unsupported:", "Not implemented")

  private def codeOf(json: JsonNode): Option[ServerError] =
    Option(json.get("code")).filter(_.isInt).flatMap(code => ServerError.of(code.intValue))

  private def text(json: JsonNode, name: String): Option[String] =
    Option(json.get(name)).filter(_.isTextual).map(_.textValue).filter(_.nonEmpty)

  private def described(cause: Throwable): String = {
    val name = cause.getClass.getSimpleName
    Option(cause.getMessage).filter(_.nonEmpty).fold(name)(message => s"$name: $message")
  }
}
