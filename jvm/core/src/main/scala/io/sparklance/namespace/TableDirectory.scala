package io.sparklance.namespace

import java.nio.file.NotDirectoryException

import scala.util.Random
import scala.util.control.NonFatal

import io.sparklance.dataset.Dataset
import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.namespace.NamespaceEntry.{Namespace, Table}
import io.sparklance.{LanceFormatException, LanceUsageException}

/** A directory of tables and namespaces, laid out as the reference's directory namespace and LanceDB have it:
  * {{{
  *   flights.lance/             a table without a namespace, called flights
  *   1c62e8f0_eu$flights/       a table in the namespace eu: where it lies, only __manifest knows
  *   __manifest/                a Lance table: all namespaces, and the tables that were made through one
  * }}}
  * Of tables without a namespace the directory is the truth; `__manifest` may lack them, and may have further names for some.
  */
final class TableDirectory(store: ObjectStore, val root: String) {
  import TableDirectory._

  private val manifest = new NamespaceManifest(store, root)

  /** The names of the tables in a namespace, in order. */
  def tables(namespace: Vector[String]): Vector[String] = {
    val entered = manifest.entries.collect {
      case table: Table if table.path.init == namespace => table
    }
    val names =
      if (namespace.nonEmpty) entered.map(_.path.last)
      else topLevel.filter(isTable) ++ entered.filterNot(isTopLevel).map(_.path.last)
    names.distinct.sorted
  }

  private def topLevel: Vector[String] =
    directories.filter(name => name.endsWith(Suffix) && name.length > Suffix.length).map(
      _.stripSuffix(Suffix)
    )

  private def directories: Vector[String] =
    try store.directories(root)
    catch {
      case _: NotDirectoryException =>
        throw new LanceUsageException(
          s"$root is a file, so it cannot be a directory of tables. Give the directory in which they lie."
        )
    }

  /** Where a table lies, if it is there. */
  def find(table: TableName): Option[String] =
    if (table.namespace.isEmpty && isTable(table.name)) Some(plainPlace(table))
    else
      entered(table).filterNot(isTopLevel).map(entry => at(entry.location)).filter(Dataset.exists(store, _))

  /** Where a new table is to be made, which is not there. */
  def place(table: TableName): String = {
    table.path.foreach(TableName.check)
    requireNamespace(table.namespace)
    if (table.namespace.isEmpty) refuseHidden(table)
    val _ = directories
    if (properties(table.path).isDefined) throw taken(table.path)
    entered(table).map(entry => at(entry.location)).getOrElse {
      if (table.namespace.isEmpty) plainPlace(table)
      else at(f"${Random.nextInt()}%08x_${EntryRows.id(table.path)}")
    }
  }

  /** Enters a table that was made. One that others have entered meanwhile at another place keeps its name. */
  def enter(table: TableName, place: String): Unit = manifest.change { entries =>
    val location = locationOf(place)
    requireNamespace(table.namespace, entries)
    entries.find(_.path == table.path) match {
      case None => NamespaceEdit(added = Vector(Table(table.path, location, Map.empty)))
      case Some(there: Table) if there.location == location => NamespaceEdit()
      case Some(_) => throw taken(table.path)
    }
  }

  /** What an attempt to make a table has left at its place: directories that are empty, as others may be at it, too. */
  def clear(table: TableName, place: String): Unit =
    try
      if (table.namespace.nonEmpty && !entered(table).exists(e => at(e.location) == place))
        store.deleteTree(place)
      else Seq(
        "data",
        "_transactions",
        "_versions"
      ).map(StorePath.join(place, _)).appended(place).foreach(store.delete)
    catch { case NonFatal(_) => () }

  /** Takes a table out and deletes it, unless it has another name as well. False if it is not there. */
  def drop(table: TableName): Boolean = {
    val found = find(table)
    val (its, others) = manifest.entries.partition(isOf(table))
    if (its.nonEmpty) manifest.change(entries => NamespaceEdit(removed = entries.filter(isOf(table)).toSet))
    found.filterNot(isShared(table.path, _, others)).foreach(store.deleteTree)
    found.isDefined
  }

  private def isOf(table: TableName)(entry: NamespaceEntry): Boolean = entry match {
    case Table(path, _, _) => path == table.path
    case _: Namespace => false
  }

  /** Whether what is at a place of a table is another's, too, or around or within another's: one of the directory's own, or one of
    * those that are listed.
    */
  private def isShared(path: Vector[String], place: String, others: Vector[NamespaceEntry]): Boolean = {
    val isOwn = path.length == 1 && place == at(path.last + Suffix)
    val isPlain = locationOf(place).takeWhile(_ != '/').endsWith(Suffix)
    isPlain && !isOwn || others.exists {
      case other: Table => isWithin(place, at(other.location)) || isWithin(at(other.location), place)
      case _: Namespace => false
    }
  }

  private def isWithin(inner: String, outer: String): Boolean = s"$inner/".startsWith(s"$outer/")

  /** Gives a table another name. In a namespace this is one commit; without one, its directory is renamed. */
  def rename(from: TableName, to: TableName): Unit = {
    to.path.foreach(TableName.check)
    requireNamespace(to.namespace)
    val place = find(from).getOrElse(throw missing(from))
    if (find(to).isDefined || properties(to.path).isDefined) throw taken(to.path)
    if (from.namespace.isEmpty != to.namespace.isEmpty) throw crossing(from, to)
    if (from.namespace.isEmpty && place == plainPlace(from)) {
      if (!store.rename(place, plainPlace(to))) throw taken(to.path)
      manifest.change(moved(from, to, plainPlace(to)))
    } else
      manifest.change { entries =>
        requireNamespace(to.namespace, entries)
        if (entries.exists(_.path == to.path)) throw taken(to.path)
        moved(from, to, place)(entries)
      }
  }

  private def moved(
      from: TableName,
      to: TableName,
      place: String
  )(entries: Vector[NamespaceEntry]): NamespaceEdit = {
    val properties = entries.collectFirst { case t: Table if t.path == from.path => t.properties }
    NamespaceEdit(
      entries.filter(entry => isOf(from)(entry) || isOf(to)(entry)).toSet,
      Vector(Table(to.path, locationOf(place), properties.getOrElse(Map.empty)))
    )
  }

  // ---- namespaces

  /** The names of those in a namespace, in order. */
  def namespaces(parent: Vector[String]): Vector[String] =
    manifest.entries.collect { case n: Namespace if n.path.init == parent => n.path.last }.sorted

  /** What was said of a namespace, if it is there. */
  def properties(namespace: Vector[String]): Option[Map[String, String]] =
    if (namespace.isEmpty) Some(Map.empty)
    else manifest.entries.collectFirst { case n: Namespace if n.path == namespace => n.properties }

  def create(namespace: Vector[String], properties: Map[String, String]): Unit = {
    namespace.foreach(TableName.check)
    val _ = directories
    manifest.change { entries =>
      requireNamespace(namespace.init, entries)
      if (entries.exists(_.path == namespace)) throw taken(namespace)
      NamespaceEdit(added = Vector(Namespace(namespace, properties)))
    }
  }

  def change(namespace: Vector[String])(edit: Map[String, String] => Map[String, String]): Unit =
    manifest.change { entries =>
      val before = entries.collectFirst { case n: Namespace if n.path == namespace => n }
        .getOrElse(throw noNamespace(namespace))
      NamespaceEdit(Set(before), Vector(Namespace(namespace, edit(before.properties))))
    }

  /** Takes an empty namespace out. False if it has tables or namespaces. */
  def dropEmpty(namespace: Vector[String]): Boolean = {
    var isEmpty = true
    manifest.change { entries =>
      isEmpty = !entries.exists(isIn(namespace))
      if (isEmpty) NamespaceEdit(removed = entries.filter(isNamespace(namespace)).toSet)
      else NamespaceEdit()
    }
    isEmpty
  }

  /** Takes a namespace out with all that is in it, and deletes the tables, unless they have names elsewhere as well. */
  def dropWhole(namespace: Vector[String]): Unit = {
    var doomed = Vector.empty[String]
    manifest.change { entries =>
      val (all, others) = entries.partition(e => isNamespace(namespace)(e) || isIn(namespace)(e))
      doomed = all.collect { case Table(path, location, _) => path -> at(location) }
        .collect { case (path, place) if !isShared(path, place, others) => place }
      NamespaceEdit(removed = all.toSet)
    }
    doomed.foreach(store.deleteTree)
  }

  private def isIn(namespace: Vector[String])(entry: NamespaceEntry): Boolean =
    entry.path.length > namespace.length && entry.path.startsWith(namespace)

  private def isNamespace(path: Vector[String])(entry: NamespaceEntry): Boolean = entry match {
    case namespace: Namespace => namespace.path == path
    case _: Table => false
  }

  private def requireNamespace(namespace: Vector[String]): Unit =
    if (namespace.nonEmpty) requireNamespace(namespace, manifest.entries)

  private def requireNamespace(namespace: Vector[String], entries: Vector[NamespaceEntry]): Unit =
    if (namespace.nonEmpty && !entries.exists(isNamespace(namespace))) throw noNamespace(namespace)

  // ---- where things are

  private def at(location: String): String = StorePath.join(root, location)

  private def locationOf(place: String): String = place.stripPrefix(StorePath.join(root, ""))

  private def plainPlace(table: TableName): String = at(table.name + Suffix)

  /** Whether the directory tells of it, too. */
  private def isTopLevel(table: Table): Boolean =
    table.path.length == 1 && table.location == table.path.last + Suffix

  /** Whether there is a table of that name without a namespace, which nobody has taken out of the directory. */
  private def isTable(name: String): Boolean = Dataset.exists(store, at(name + Suffix)) && !isHidden(name)

  private def isHidden(name: String): Boolean =
    store.exists(StorePath.join(at(name + Suffix), ".lance-deregistered"))

  private def refuseHidden(table: TableName): Unit = if (isHidden(table.name)) throw new LanceUsageException(
    s"${plainPlace(table)} is a table that was taken out of the directory, so none can be made there. Delete it, or choose " +
      "another name."
  )

  private def entered(table: TableName): Option[Table] =
    manifest.entries.collect { case entry: Table if entry.path == table.path => entry } match {
      case Vector() => None
      case Vector(one) => Some(one)
      case several =>
        throw new LanceFormatException(s"${at(NamespaceManifest.Name)} lists ${several.size} tables '$table'")
    }

  private def taken(path: Vector[String]) = new LanceUsageException(
    s"In $root there is a table or namespace '${path.mkString(".")}' already. Choose another name, or drop it first."
  )

  private def missing(table: TableName) = new LanceUsageException(
    s"In $root there is no table '$table'. SHOW TABLES lists those that are there."
  )

  private def noNamespace(namespace: Vector[String]) = new LanceUsageException(
    s"In $root there is no namespace '${namespace.mkString(".")}'. Create it first, or choose one that is there."
  )

  private def crossing(from: TableName, to: TableName) = new LanceUsageException(
    s"'$from' cannot become '$to': tables without a namespace lie elsewhere than those in one. Copy it with CREATE TABLE … AS " +
      "SELECT, and drop the old one."
  )
}

object TableDirectory {
  private val Suffix = ".lance"
}
