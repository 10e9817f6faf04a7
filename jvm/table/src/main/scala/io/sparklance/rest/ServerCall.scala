package io.sparklance.rest

import com.fasterxml.jackson.databind.JsonNode

/** A call of the namespace specification.
  *
  * @param operation
  *   its name in the specification
  * @param subject
  *   the table or namespace, as messages show it
  * @param path
  *   parts of the path below the server's address, not yet escaped
  * @param query
  *   parameters beside the delimiter
  * @param body
  *   the request; None for a call without a body
  */
final private[rest] case class ServerCall(
    operation: String,
    subject: ServerCall.Subject,
    path: Vector[String],
    query: Vector[(String, String)] = Vector.empty,
    body: Option[JsonNode] = None,
    method: ServerCall.Method = ServerCall.Post,
    repeats: ServerCall.Repeats = ServerCall.Once
) {
  def isRepeatable: Boolean = repeats != ServerCall.Once
}

private[rest] object ServerCall {

  /** Whether a second call does no harm. */
  sealed trait Repeats
  case object Once extends Repeats
  case object Harmless extends Repeats

  /** A second call does no harm, but the caller must know whether the first may have taken effect. */
  case object OfCommit extends Repeats

  sealed trait Method
  case object Get extends Method
  case object Post extends Method

  /** The object of a call: older servers tell only that it is missing or exists. */
  sealed trait Subject {
    def path: Vector[String]
    override def toString: String = this match {
      case OfNamespace(Vector()) => "the catalog's root"
      case OfNamespace(parts) => s"namespace '${parts.mkString(".")}'"
      case OfTable(parts) => s"table '${parts.mkString(".")}'"
    }
  }
  final case class OfNamespace(path: Vector[String]) extends Subject
  final case class OfTable(path: Vector[String]) extends Subject
}
