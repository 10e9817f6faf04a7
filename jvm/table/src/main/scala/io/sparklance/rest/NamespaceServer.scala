package io.sparklance.rest

import scala.annotation.tailrec

import com.fasterxml.jackson.databind.node.ObjectNode

import io.sparklance.rest.ServerCall.{Get, Harmless, OfCommit, OfNamespace, OfTable}
import io.sparklance.{CatalogServerException, ServerError}

/** The calls of the namespace specification that a catalog needs. Names are lists of parts. */
final private[sparklance] class NamespaceServer(val options: ServerOptions, patience: Patience = Patience()) {
  import NamespaceServer._

  private val client = new RestClient(options, patience)

  // ---- namespaces

  def listNamespaces(parent: Vector[String]): Vector[String] =
    pages(ServerCall("list_namespaces", OfNamespace(parent), namespace(parent, "list")), "namespaces")

  def describeNamespace(path: Vector[String]): Map[String, String] =
    client.send(onNamespace("describe_namespace", path, "describe").copy(repeats =
      Harmless
    )).properties("properties")

  def hasNamespace(path: Vector[String]): Boolean = isThere(ServerError.NamespaceNotFound) {
    client.send(onNamespace("namespace_exists", path, "exists").copy(repeats = Harmless))
  }

  def createNamespace(path: Vector[String], properties: Map[String, String]): Unit = {
    val request = message("mode" -> "Create")
    val node = request.putObject("properties")
    properties.foreach { case (name, value) => node.put(name, value) }
    run(onNamespace("create_namespace", path, "create").copy(body = Some(request)))
  }

  /** @param withContents whether the server drops tables and namespaces in it, too */
  def dropNamespace(path: Vector[String], withContents: Boolean): Unit = {
    val request = message("mode" -> "Fail", "behavior" -> (if (withContents) "Cascade" else "Restrict"))
    run(onNamespace("drop_namespace", path, "drop").copy(body = Some(request)))
  }

  // ---- tables

  def listTables(path: Vector[String]): Vector[String] =
    pages(ServerCall("list_tables", OfNamespace(path), namespace(path, "table", "list")), "tables")

  def describeTable(path: Vector[String]): ServerTable = {
    val request = message()
    request.put("check_declared", true).put("vend_credentials", true)
    val query = Vector("check_declared" -> "true")
    val call = onTable("describe_table", path, "describe")
    val answer = client.send(call.copy(query = query, body = Some(request), repeats = Harmless))
    checkName(answer, path)
    tableOf(answer)
  }

  /** Reserves a table's name, and returns its location. */
  def declareTable(path: Vector[String], location: Option[String]): ServerTable = {
    val request = message(location.map("location" -> _).toSeq: _*)
    request.put("vend_credentials", true)
    tableOf(client.send(onTable("declare_table", path, "declare").copy(body = Some(request))))
  }

  def registerTable(path: Vector[String], location: String): Unit =
    run(onTable("register_table", path, "register")
      .copy(body = Some(message("location" -> location, "mode" -> "Create"))))

  /** Removes a table's name, and keeps its files. */
  def deregisterTable(path: Vector[String]): Unit = run(onTable("deregister_table", path, "deregister"))

  /** Removes a table and its files. */
  def dropTable(path: Vector[String]): Unit = run(onTable("drop_table", path, "drop").copy(body = None))

  def renameTable(from: Vector[String], to: Vector[String]): Unit = {
    val request = message("new_table_name" -> to.last)
    if (to.init != from.init) to.init.foldLeft(request.putArray("new_namespace_id"))(_.add(_))
    run(onTable("rename_table", from, "rename").copy(body = Some(request)))
  }

  // ---- versions

  /** Returns the highest version of a branch; None if it has none. */
  def latestVersion(path: Vector[String], branch: Option[String]): Option[ServerVersion] = {
    val query = Vector("descending" -> "true", "limit" -> "1") ++ branch.map("branch" -> _)
    val call = onTable("list_table_versions", path, "version", "list")
    client.send(call.copy(
      query = query,
      body = None,
      repeats = Harmless
    )).answers("versions").headOption.map(versionOf)
  }

  /** Asks the server to make a version of a staged manifest. The call may be repeated: the version is made
    * once.
    *
    * @param manifest
    *   version and staged path
    */
  def createVersion(
      path: Vector[String],
      branch: Option[String],
      manifest: ServerVersion,
      naming: String
  ): ServerVersion = {
    val request = message(Seq("manifest_path" -> manifest.path, "naming_scheme" -> naming) ++
      branch.map("branch" -> _): _*)
    request.put("version", manifest.number)
    manifest.size.foreach(request.put("manifest_size", _))
    val call = onTable("create_table_version", path, "version", "create").copy(
      body = Some(request),
      repeats = OfCommit
    )
    val answer = client.send(call)
    val made = versionOf(answer.required("version", answer.answer("version")))
    if (made.number != manifest.number)
      throw answer.refused(s"made version ${made.number} instead of ${manifest.number}")
    made
  }

  /** Removes the record of a version. */
  def deleteVersion(path: Vector[String], branch: Option[String], version: Long): Unit = {
    val request = message(branch.map("branch" -> _).toSeq: _*)
    request.putArray("ranges").addObject().put("start_version", version).put("end_version", version + 1)
    run(onTable("batch_delete_table_versions", path, "version", "delete").copy(
      body = Some(request),
      repeats = Harmless
    ))
  }

  // ---- requests and answers

  private def pages(call: ServerCall, field: String): Vector[String] = {
    @tailrec def more(token: Option[String], read: Int, found: Vector[String]): Vector[String] = {
      val query = Vector("limit" -> PageSize.toString) ++ token.map("page_token" -> _)
      val answer = client.send(call.copy(query = query, method = Get, repeats = Harmless))
      val all = found ++ answer.texts(field)
      answer.text("page_token").filter(_.nonEmpty) match {
        case None => all
        case same if same == token => throw answer.refused("gives the same page again and again")
        case _ if read == patience.maxPages || all.size > MaxNames =>
          throw answer.refused(s"gives more than $read pages with ${all.size} names")
        case next => more(next, read + 1, all)
      }
    }
    more(None, 1, Vector.empty).distinct.sorted
  }

  private def onNamespace(operation: String, path: Vector[String], action: String): ServerCall =
    ServerCall(operation, OfNamespace(path), namespace(path, action), body = Some(message()))

  private def onTable(operation: String, path: Vector[String], action: String*): ServerCall =
    ServerCall(operation, OfTable(path), "table" +: idOf(path) +: action.toVector, body = Some(message()))

  private def namespace(path: Vector[String], action: String*): Vector[String] =
    "namespace" +: idOf(path) +: action.toVector

  /** The delimiter alone stands for the root. */
  private def idOf(path: Vector[String]): String =
    if (path.isEmpty) options.delimiter else path.mkString(options.delimiter)

  private def run(call: ServerCall): Unit = { val _ = client.send(call) }

  /** Refuses a description of another table. Servers may leave the name out. */
  private def checkName(answer: Answer, path: Vector[String]): Unit =
    answer.text("table").filter(_ != path.last).foreach { other =>
      throw answer.refused(s"describes another table, '$other',")
    }

  private def tableOf(answer: Answer): ServerTable = ServerTable(
    answer.required("location", answer.text("location").filter(_.nonEmpty)),
    answer.properties("storage_options"),
    answer.properties("properties"),
    answer.flag("managed_versioning").contains(true),
    answer.flag("is_only_declared")
  )

  private def versionOf(answer: Answer): ServerVersion = ServerVersion(
    answer.required("version", answer.number("version").filter(_ > 0)),
    answer.required("manifest_path", answer.text("manifest_path")),
    answer.number("manifest_size").filter(_ >= 0)
  )

  private def isThere(missing: ServerError)(call: => Any): Boolean =
    try {
      val _ = call
      true
    } catch { case e: CatalogServerException if e.error == missing => false }
}

private[rest] object NamespaceServer {
  private val PageSize = 1000
  private val MaxNames = 5000000

  private def message(fields: (String, String)*): ObjectNode =
    fields.foldLeft(ServerFailure.mapper.createObjectNode()) { case (node, (name, value)) =>
      node.put(name, value)
    }
}
