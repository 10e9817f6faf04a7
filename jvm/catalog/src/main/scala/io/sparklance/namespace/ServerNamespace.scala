package io.sparklance.namespace

import java.net.URLDecoder
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Try
import scala.util.control.NonFatal

import io.sparklance.namespace.FoundTable.{Declared, Made}
import io.sparklance.rest.{NamespaceServer, ServerTable}
import io.sparklance.{
  CatalogErrorException,
  CatalogServerException,
  LanceUsageException,
  ServerError,
  UnsupportedLanceFeatureException
}

/** Namespaces and tables behind a server of the namespace specification. A new table is declared first, which
  * reserves its name; then it is written, and its first version committed.
  *
  * @param hasVersion
  *   whether a location has a version, for servers that do not say so
  * @param discard
  *   deletes the files of a table that this statement made and the server no longer names
  */
final private[sparklance] class ServerNamespace(
    server: NamespaceServer,
    hasVersion: (TableName, PlacedTable) => Boolean,
    discard: (TableName, PlacedTable) => Unit
) extends Namespaces {
  import ServerNamespace._

  private def delimiter = server.options.delimiter

  def check(part: String): Unit = TableName.check(part, delimiter)
  def isValid(table: TableName): Boolean = table.isValid(delimiter)

  // ---- namespaces

  def namespaces(parent: Vector[String]): Vector[String] = server.listNamespaces(parent)

  def hasNamespace(namespace: Vector[String]): Boolean = namespace.isEmpty || server.hasNamespace(namespace)

  def properties(namespace: Vector[String]): Option[Map[String, String]] =
    if (namespace.isEmpty) Some(Map.empty)
    else unless(ServerError.NamespaceNotFound)(server.describeNamespace(namespace))

  def create(namespace: Vector[String], properties: Map[String, String]): Unit = {
    namespace.foreach(check)
    server.createNamespace(namespace, properties)
  }

  def change(namespace: Vector[String])(edit: Map[String, String] => Map[String, String]): Unit =
    throw new UnsupportedLanceFeatureException(
      "ALTER NAMESPACE in a catalog behind a server, for which the specification has no call,"
    )

  def dropEmpty(namespace: Vector[String]): Boolean =
    unless(ServerError.NamespaceNotEmpty)(server.dropNamespace(namespace, withContents = false)).isDefined

  /** Servers that do not drop contents get a call for each object. */
  def dropWhole(namespace: Vector[String]): Unit =
    try server.dropNamespace(namespace, withContents = true)
    catch {
      case e: CatalogServerException if Shallow(e.error) =>
        tables(namespace).foreach(name =>
          unless(ServerError.TableNotFound)(server.dropTable(namespace :+ name))
        )
        namespaces(namespace).foreach(name => dropWhole(namespace :+ name))
        server.dropNamespace(namespace, withContents = false)
    }

  // ---- tables

  def tables(namespace: Vector[String]): Vector[String] = server.listTables(namespace)

  /** The reference's server calls tables declared that were registered in a directory further down. */
  def find(table: TableName): Option[FoundTable] = {
    table.path.foreach(check)
    described(table).map { found =>
      val place = placeOf(found, table)
      if (found.isDeclared.contains(false) || hasVersion(table, place)) Made(place) else Declared(place)
    }
  }

  def place(table: TableName): NewTable = find(table) match {
    case Some(Declared(place)) => NewTable(place)
    case Some(_) => throw taken(table)
    case None =>
      val made = NewTable(declared(table), isReserved = true)
      if (isOthers(table, made)) throw inUse(table, made.place)
      made
  }

  private def declared(table: TableName): PlacedTable =
    try placeOf(server.declareTable(table.path, None), table)
    catch {
      case e: CatalogServerException if e.error == ServerError.TableAlreadyExists => throw taken(table, e)
    }

  /** Whether a declared location has a table, such as one that was deregistered. Then the name is given up.
    */
  private def isOthers(table: TableName, made: NewTable): Boolean =
    try {
      val isThere = hasVersion(table, made.place)
      if (isThere) release(table, made)
      isThere
    } catch {
      case e: Throwable =>
        release(table, made)
        throw e
    }

  /** Others may have dropped or deregistered the name meanwhile: then nothing refers to the new table, and
    * its files go.
    */
  def enter(table: TableName, made: NewTable): Unit = {
    val now = described(table).map(placeOf(_, table))
    if (!now.exists(_.root == made.place.root)) {
      if (made.isReserved && now.isEmpty) discard(table, made.place)
      throw new LanceUsageException(
        s"The table '$table' was dropped or deregistered while it was created. It does not exist; repeat the statement."
      )
    }
  }

  /** A table that others wrote under the declared name meanwhile is not dropped. */
  def clear(table: TableName, made: NewTable): Unit = if (made.isReserved)
    quietly(if (!hasVersion(table, made.place)) server.dropTable(table.path))

  def release(table: TableName, made: NewTable): Unit =
    if (made.isReserved) quietly(server.deregisterTable(table.path))

  def drop(table: TableName): Boolean = {
    table.path.foreach(check)
    val isDropped = unless(ServerError.TableNotFound)(server.dropTable(table.path)).isDefined
    if (!isDropped) described(table).foreach(found => throw unlisted(table, found))
    isDropped
  }

  def rename(from: TableName, to: TableName): Unit = {
    (from.path ++ to.path).foreach(check)
    server.renameTable(from.path, to.path)
  }

  /** A name that proves useless is given up. */
  def register(table: TableName, location: String): PlacedTable = {
    table.path.foreach(check)
    try server.registerTable(table.path, location)
    catch {
      case e: CatalogServerException if e.error == ServerError.TableAlreadyExists => throw taken(table, e)
    }
    try {
      val place = placeOf(described(table).getOrElse(throw nothingAt(table, location)), table)
      if (hasVersion(table, place)) place else throw nothingAt(table, place.root)
    } catch {
      case e: Throwable =>
        quietly(server.deregisterTable(table.path))
        throw e
    }
  }

  def deregister(table: TableName): Option[String] = {
    table.path.foreach(check)
    described(table).map { found =>
      unless(ServerError.TableNotFound)(server.deregisterTable(table.path))
        .getOrElse(throw unlisted(table, found))
      found.location
    }
  }

  private def described(table: TableName): Option[ServerTable] =
    unless(
      ServerError.TableNotFound
    )(unless(ServerError.NamespaceNotFound)(server.describeTable(table.path))).flatten

  private def placeOf(found: ServerTable, table: TableName): PlacedTable =
    PlacedTable(rootOf(found.location, table), found.storage, found.properties, found.hasVersions)

  /** Returns a location as a path or a URI without escapes. */
  private def rootOf(location: String, table: TableName): String = {
    val plain =
      if (location.matches("(file:/|[A-Za-z][A-Za-z0-9+.-]*://).*")) unescaped(location) else location
    val root = plain.stripPrefix("file://").stripPrefix("file:").reverse.dropWhile(_ == '/').reverse
    val isAbsolute = root.startsWith("/") || root.contains("://")
    if (!isAbsolute || root.split('/').exists(part => part == "..") || root.exists(_.isControl))
      throw new CatalogErrorException(
        ServerError.Internal,
        s"The server at ${server.options} gives the location '${root.take(LongestShown).filterNot(_.isControl)}' for the table " +
          s"'$table', which is neither an absolute path nor a URI. Correct the table's entry on the server."
      )
    root
  }

  private def inUse(table: TableName, place: PlacedTable) = new LanceUsageException(
    s"The server at ${server.options} gives the location ${place.root} for the new table '$table', and a table is there: probably one " +
      "that was deregistered. Register it, delete its files, or choose another name."
  )

  private def nothingAt(table: TableName, location: String) = new LanceUsageException(
    s"The table '$table' cannot be registered with the server at ${server.options}: there is no Lance table at $location. Give the " +
      "location of one, in the form that the server takes."
  )

  /** pylance's server finds tables in its directory that its list lacks. */
  private def unlisted(table: TableName, found: ServerTable) = new LanceUsageException(
    s"The server at ${server.options} finds the table '$table' at ${found.location}, but has no entry of it to remove. Move or " +
      "delete its directory."
  )

  private def taken(table: TableName, cause: Throwable = null) = new CatalogErrorException(
    ServerError.TableAlreadyExists,
    s"The server at ${server.options} has a table '$table' already. Choose another name, or drop it first.",
    cause
  )
}

private[sparklance] object ServerNamespace {
  private val LongestShown = 200

  /** Errors of servers that drop only empty namespaces. */
  private val Shallow: Set[ServerError] =
    Set(ServerError.NamespaceNotEmpty, ServerError.Unsupported, ServerError.InvalidInput)

  /** Runs a call; None if it fails with this error. */
  private def unless[A](missing: ServerError)(call: => A): Option[A] =
    try Some(call)
    catch { case e: CatalogServerException if e.error == missing => None }

  private def quietly(body: => Unit): Unit =
    try body
    catch { case NonFatal(_) => () }

  /** A percent sign that begins no escape stays. */
  private def unescaped(uri: String): String =
    Try(URLDecoder.decode(uri.replace("+", "%2B"), UTF_8)).getOrElse(uri)
}
