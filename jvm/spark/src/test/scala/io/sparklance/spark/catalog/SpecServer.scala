package io.sparklance.spark.catalog

import java.io.FileNotFoundException
import java.net.{InetSocketAddress, URLDecoder}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.concurrent.{ConcurrentLinkedQueue, Executors}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.node.ObjectNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.sun.net.httpserver.{HttpExchange, HttpServer}

import io.sparklance.io.LocalStore
import io.sparklance.namespace.FoundTable.{Declared, Made, Unusable}
import io.sparklance.namespace.{TableDirectory, TableName}
import io.sparklance.table.{ManifestName, ManifestNaming}
import io.sparklance.{LanceException, ServerError}

/** A server of the namespace specification for a directory on this machine, in as many calls as a catalog
  * needs.
  *
  * @param managesVersions
  *   whether it manages the versions of its tables
  */
final class SpecServer(root: String, managesVersions: Boolean) extends AutoCloseable {
  import SpecServer._

  private val directory = new TableDirectory(LocalStore, root)
  private val workers = Executors.newCachedThreadPool()
  private val server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0)
  private val seen = new ConcurrentLinkedQueue[String]

  /** Answers before the server does, if a test wants that.
    *
    * @return
    *   status and body
    */
  @volatile var instead: (String, HttpExchange) => Option[(Int, String)] = (_, _) => None

  /** Whether the server drops connections after it did what was asked. */
  @volatile var losesAnswerTo: String => Boolean = _ => false

  server.createContext("/", exchange => handle(exchange))
  server.setExecutor(workers)
  server.start()

  val uri: String = s"http://127.0.0.1:${server.getAddress.getPort}/lake"

  /** Operations in their order, by the ends of their paths. */
  def operations: Vector[String] = seen.asScala.toVector

  private def handle(exchange: HttpExchange): Unit =
    try {
      val body = new String(exchange.getRequestBody.readAllBytes(), UTF_8)
      val parts =
        exchange.getRequestURI.getRawPath.split("/").toVector.drop(2).map(URLDecoder.decode(_, UTF_8))
      val operation = (parts(1) +: parts.drop(3)).mkString("/")
      seen.add(operation)
      val (status, answer) = instead(operation, exchange).getOrElse {
        try answered(
            operation,
            idOf(parts(2), exchange),
            if (body.isEmpty) parameters(exchange) else mapper.readTree(body)
          )
        catch {
          case e: LanceException => failed(ServerError.InvalidInput, e.getMessage)
          case e: FileNotFoundException => failed(ServerError.InvalidInput, e.getMessage)
        }
      }
      if (!losesAnswerTo(operation)) {
        val bytes = answer.getBytes(UTF_8)
        exchange.sendResponseHeaders(status, if (bytes.isEmpty) -1 else bytes.length.toLong)
        if (bytes.nonEmpty) exchange.getResponseBody.write(bytes)
      }
    } finally exchange.close()

  /** The parameters of a call without a body. */
  private def parameters(exchange: HttpExchange): ObjectNode = {
    val request = mapper.createObjectNode()
    exchange.getRequestURI.getQuery.split("&").foreach {
      case s"$name=$value" => request.put(name, value)
      case _ => ()
    }
    request
  }

  private def idOf(text: String, exchange: HttpExchange): Vector[String] = {
    val delimiter = exchange.getRequestURI.getQuery.split("&").collectFirst {
      case s"delimiter=$value" => value
    }.getOrElse("$")
    if (text == delimiter) Vector.empty else text.split(java.util.regex.Pattern.quote(delimiter), -1).toVector
  }

  private def answered(operation: String, id: Vector[String], request: JsonNode): (Int, String) =
    operation match {
      case "namespace/list" =>
        ok(_.set[JsonNode]("namespaces", mapper.valueToTree[JsonNode](directory.namespaces(id).asJava)))
      case "namespace/table/list" =>
        ok(_.set[JsonNode]("tables", mapper.valueToTree[JsonNode](directory.tables(id).asJava)))
      case "namespace/exists" =>
        if (directory.hasNamespace(id)) (200, "") else failed(ServerError.NamespaceNotFound, id.mkString("."))
      case "namespace/describe" => directory.properties(id)
          .fold(failed(ServerError.NamespaceNotFound, id.mkString(".")))(found =>
            ok(_.set[JsonNode]("properties", tree(found)))
          )
      case "namespace/create" =>
        if (directory.hasNamespace(id)) failed(ServerError.NamespaceAlreadyExists, id.mkString("."))
        else {
          directory.create(
            id,
            request.get("properties").properties.asScala.map(p => p.getKey -> p.getValue.asText).toMap
          )
          ok()
        }
      // Like the reference's, it drops empty namespaces only.
      case "namespace/drop" =>
        if (directory.dropEmpty(id)) ok() else failed(ServerError.NamespaceNotEmpty, id.mkString("."))
      case s"table/version/$what" => versions(what, id, request)
      case s"table/$what" => onTable(what, TableName(id.init, id.last), request)
      case other => failed(ServerError.Unsupported, other)
    }

  private def onTable(what: String, table: TableName, request: JsonNode): (Int, String) =
    (what, directory.find(table)) match {
      case ("declare", None) =>
        val place = directory.place(table).place.root
        if (LocalStore.putIfAbsent(s"$place/.lance-reserved", Array(1))) {
          directory.enter(table, place)
          described(table, place, isDeclared = true)
        } else failed(ServerError.TableAlreadyExists, table.toString)
      case ("declare", Some(_)) => failed(ServerError.TableAlreadyExists, table.toString)
      case ("describe", Some(Made(place))) => described(table, place.root, isDeclared = false)
      case ("describe", Some(Declared(place))) => described(table, place.root, isDeclared = true)
      case ("drop", Some(_)) =>
        val _ = directory.drop(table)
        ok()
      case ("register", None) =>
        val _ = directory.register(table, request.get("location").asText)
        ok()
      case ("register", Some(_)) => failed(ServerError.TableAlreadyExists, table.toString)
      case ("deregister", Some(_)) =>
        deregister(table)
        ok()
      case ("rename", Some(_)) =>
        val to = Option(
          request.get("new_namespace_id")
        ).fold(table.namespace)(_.elements.asScala.map(_.asText).toVector)
        directory.rename(table, TableName(to, request.get("new_table_name").asText))
        ok()
      case (_, Some(Unusable(failure))) => failed(ServerError.InvalidTableState, failure.getMessage)
      case (_, None) => failed(ServerError.TableNotFound, table.toString)
      case (other, _) => failed(ServerError.Unsupported, other)
    }

  def deregister(table: TableName): Unit = {
    val _ = directory.deregister(table).getOrElse(throw new IllegalStateException(table.toString))
  }

  private def described(table: TableName, place: String, isDeclared: Boolean): (Int, String) = ok { answer =>
    answer.put("table", table.name).put("location", place).put("is_only_declared", isDeclared)
    if (managesVersions) answer.put("managed_versioning", true)
    answer
  }

  // ---- versions, as the reference's server has them: the store's files are the records

  private def versions(what: String, id: Vector[String], request: JsonNode): (Int, String) =
    directory.find(TableName(id.init, id.last)) match {
      case None => failed(ServerError.TableNotFound, id.mkString("."))
      case Some(Made(place)) => versions(what, place.root, request)
      case Some(Declared(place)) => versions(what, place.root, request)
      case Some(Unusable(failure)) => failed(ServerError.InvalidTableState, failure.getMessage)
    }

  private def versions(what: String, place: String, request: JsonNode): (Int, String) = what match {
    case "create" =>
      val staged = "/" + request.get("manifest_path").asText
      val naming = if (request.get("naming_scheme").asText == "V1") ManifestNaming.V1 else ManifestNaming.V2
      val path = s"$place/${branchIn(request)}_versions/${naming.fileName(request.get("version").asLong)}"
      if (!LocalStore.exists(path) && LocalStore.putIfAbsent(path, Files.readAllBytes(Path.of(staged)))) {
        LocalStore.delete(staged)
        val version = mapper.createObjectNode().put(
          "version",
          request.get("version").asLong
        ).put("manifest_path", path.drop(1))
        ok(_.set[JsonNode]("version", version))
      } else failed(ServerError.ConcurrentModification, path)
    case "list" => ok { answer =>
        val all = answer.putArray("versions")
        val directory = s"$place/${branchIn(request)}_versions"
        val found = LocalStore.list(directory).flatMap { file =>
          ManifestNaming.parse(file.name).collect { case ManifestName.Attached(version, _) =>
            version -> file.name
          }
        }
        found.sortBy(-_._1).headOption.foreach { case (version, name) =>
          all.addObject().put("version", version).put("manifest_path", s"${directory.drop(1)}/$name")
        }
        answer
      }
    case other => failed(ServerError.Unsupported, other)
  }

  private def branchIn(request: JsonNode): String =
    Option(request.get("branch")).fold("")(name => s"tree/${name.asText}/")

  override def close(): Unit = {
    server.stop(0)
    val _ = workers.shutdownNow()
  }
}

object SpecServer {
  private val mapper = new ObjectMapper

  private def ok(fill: ObjectNode => Any = identity): (Int, String) = {
    val answer = mapper.createObjectNode()
    val _ = fill(answer)
    (200, answer.toString)
  }

  private def tree(properties: Map[String, String]): JsonNode =
    mapper.valueToTree[JsonNode](properties.asJava)

  def failed(error: ServerError, message: String): (Int, String) =
    (400, mapper.createObjectNode().put("error", message).put("code", error.code).toString)
}
