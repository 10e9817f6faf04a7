package io.sparklance.namespace

import java.nio.file.NotDirectoryException

import scala.util.Random
import scala.util.control.NonFatal

import io.sparklance.dataset.Dataset
import io.sparklance.io.{Concurrently, ObjectStore, StorePath}
import io.sparklance.namespace.FoundTable.{Declared, Made, Unusable}
import io.sparklance.namespace.NamespaceEntry.{Foreign, Namespace, Table}
import io.sparklance.{
  LanceFormatException,
  LanceUsageException,
  Location,
  RetryableCommitConflictException,
  UnsupportedLanceFeatureException
}

/** A directory of tables and namespaces, in the layout of pylance's directory namespace and LanceDB:
  * {{{
  *   flights.lance/             a table without a namespace, called flights
  *     .lance-reserved          its name is reserved, before it is written
  *     .lance-deregistered      it was deregistered; its files stay
  *   1c62e8f0_eu$flights/       a table in the namespace eu: __manifest records its location
  *   __manifest/                a Lance table: all namespaces, and the tables that were created through one
  * }}}
  * For tables without a namespace the directory is authoritative; `__manifest` may lack them, and may have
  * further names for some.
  */
final private[sparklance] class TableDirectory(store: ObjectStore, val root: String)
    extends NamespacesInDirectory {
  import TableDirectory._

  protected val manifest = new NamespaceManifest(store, root)

  def tables(namespace: Vector[String]): Vector[String] = {
    val entered = manifest.entries.collect {
      case table: Table if table.path.init == namespace => table
    }
    val names =
      if (namespace.nonEmpty) entered.map(_.path.last)
      else topLevel ++ entered.filterNot(isTopLevel).map(_.path.last)
    names.distinct.sorted
  }

  private def topLevel: Vector[String] = {
    val names = directories.filter(name => name.endsWith(Suffix) && name.length > Suffix.length)
      .map(_.stripSuffix(Suffix))
    Concurrently.map(names, RequestsAtATime)(name => plain(name).map(_ => name)).flatten
  }

  protected def directories: Vector[String] =
    try store.directories(root)
    catch {
      case _: NotDirectoryException =>
        throw new LanceUsageException(
          s"$root is a file, so it cannot be a directory of tables. Give the directory that contains the " +
            "tables."
        )
    }

  def find(table: TableName): Option[FoundTable] = {
    table.check()
    find(table, manifest.entries)
  }

  def place(table: TableName): NewTable = NewTable(PlacedTable(locationFor(table)))

  private def locationFor(table: TableName): String = {
    table.check()
    val _ = directories
    val entries = manifest.entries
    requireNamespace(table.namespace, entries)
    if (table.namespace.isEmpty) refuseHidden(table)
    if (entries.exists(isNamespace(table.path))) throw taken(table.path)
    entered(table, entries) match {
      case Some(Made(place)) => place.root
      case Some(Declared(place)) => place.root
      case Some(Unusable(failure)) => throw failure
      case None if table.namespace.isEmpty => plainPlace(table.name)
      case None => at(f"${Random.nextInt()}%08x_${EntryRows.id(table.path)}")
    }
  }

  def enter(table: TableName, made: NewTable): Unit = enter(table, made.place.root)

  /** Registers a new table. If others registered the name at another location meanwhile, theirs stays. */
  def enter(table: TableName, place: String): Unit = manifest.change { entries =>
    val location = locationOf(place)
    requireNamespace(table.namespace, entries)
    entries.find(_.path == table.path) match {
      case None => NamespaceEdit(added = Vector(Table(table.path, Some(location), None)))
      case Some(there: Table) if there.place.contains(location) => NamespaceEdit()
      case Some(_: Table) => throw lost(table)
      case Some(_) => throw taken(table.path)
    }
  }

  /** Removes only empty directories, because others may be creating the table, too. */
  def clear(table: TableName, made: NewTable): Unit = {
    val place = made.place.root
    def isEntered = manifest.entries.exists(e => isOf(table)(e) && placeOf(e).contains(place))
    try
      if (table.namespace.nonEmpty && !isEntered) store.deleteTree(place)
      else Seq("data", "_transactions", "_versions").map(StorePath.join(place, _)).appended(place)
        .foreach(store.delete)
    catch { case NonFatal(_) => () }
  }

  /** The name is registered after the commit. */
  def release(table: TableName, made: NewTable): Unit = ()

  /** Drops a table and deletes its files, unless it has another name as well. Returns false if it does not
    * exist. An invalid entry is only removed, because its location is unknown.
    */
  def drop(table: TableName): Boolean = {
    table.check()
    val entries = manifest.entries
    refuseForeign(table, entries)
    val found = find(table, entries)
    if (entries.exists(isOf(table)))
      manifest.change(latest => NamespaceEdit(removed = latest.filter(isOf(table)).toSet))
    found.foreach {
      case Made(place) => remove(table.path, place.root, entries.filterNot(isOf(table)))
      case Declared(place) => remove(table.path, place.root, entries.filterNot(isOf(table)))
      case Unusable(_) => ()
    }
    found.isDefined
  }

  /** Deletes a table's directory. A location that never had a table is not deleted.
    *
    * @param others
    *   all remaining entries
    */
  private def remove(path: Vector[String], place: String, others: Vector[NamespaceEntry]): Unit =
    if (!isShared(path, place, others)) {
      if (Dataset.exists(store, place) || store.exists(StorePath.join(place, Reserved)))
        store.deleteTree(place)
    } else if (isPlainPlaceOf(path, place)) hide(place)

  /** Whether a table's location also belongs to another table, contains one, or lies within one, in the
    * directory or in `__manifest`.
    */
  private def isShared(path: Vector[String], place: String, others: Vector[NamespaceEntry]): Boolean = {
    val owner = locationOf(place).takeWhile(_ != '/')
    def isOthers =
      owner.endsWith(Suffix) && !isPlainPlaceOf(path, place) && !isHidden(owner.stripSuffix(Suffix))
    others.flatMap(placeOf).exists(other => isWithin(place, other) || isWithin(other, place)) || isOthers
  }

  private def isPlainPlaceOf(path: Vector[String], place: String): Boolean =
    path.length == 1 && place == plainPlace(path.last)

  /** Renames a table: by one commit in a namespace, otherwise by renaming its directory. */
  def rename(from: TableName, to: TableName): Unit = {
    from.check()
    to.check()
    val entries = manifest.entries
    requireNamespace(to.namespace, entries)
    val place = find(from, entries) match {
      case Some(Made(place)) => place.root
      case Some(Declared(place)) => place.root
      case Some(Unusable(failure)) => throw failure
      case None => throw missing(from)
    }
    if (find(to, entries).isDefined || entries.exists(isNamespace(to.path))) throw taken(to.path)
    if (from.namespace.isEmpty != to.namespace.isEmpty) throw crossing(from, to)
    if (isPlainPlaceOf(from.path, place)) {
      if (!store.rename(place, plainPlace(to.name))) throw taken(to.path)
      manifest.change(moved(from, to, place))
    } else
      manifest.change { latest =>
        requireNamespace(to.namespace, latest)
        if (latest.exists(_.path == to.path)) throw taken(to.path)
        NamespaceEdit(changed = latest.collect {
          case table: Table if isOf(from)(table) => table -> table.copy(path = to.path)
        }.toMap)
      }
  }

  /** The table must lie in the directory. A registration that ended between the entry and the marker can be
    * repeated.
    */
  def register(table: TableName, location: String): PlacedTable = {
    table.check()
    val inside = Table(table.path, Some(locationOf(location)), None).place.toOption
    val place = inside.filterNot(_.contains(":/")).fold(throw outside(table, location))(at)
    val entries = manifest.entries
    def isOthers(entry: NamespaceEntry) = entry.path == table.path && !placeOf(entry).contains(place)
    if (find(table, entries).isDefined || entries.exists(isOthers)) throw taken(table.path)
    if (!Dataset.exists(store, place)) throw nothingAt(table, place)
    enter(table, place)
    if (isPlainPlaceOf(table.path, place)) store.delete(StorePath.join(place, Deregistered))
    PlacedTable(place)
  }

  /** Removes an entry. The directory of a table without a namespace is marked, too. */
  def deregister(table: TableName): Option[String] = {
    table.check()
    val entries = manifest.entries
    refuseForeign(table, entries)
    val found = find(table, entries)
    val place = found.flatMap {
      case Made(place) => Some(place.root)
      case Declared(place) => Some(place.root)
      case Unusable(_) => None
    }
    if (entries.exists(isOf(table)))
      manifest.change(latest => NamespaceEdit(removed = latest.filter(isOf(table)).toSet))
    place.filter(isPlainPlaceOf(table.path, _)).foreach(hide)
    found.map(_ => place.getOrElse(""))
  }

  private def hide(place: String): Unit = store.put(StorePath.join(place, Deregistered), Marker)

  /** Updates the entries of all tables in a renamed directory. */
  private def moved(from: TableName, to: TableName, place: String)(
      entries: Vector[NamespaceEntry]
  ): NamespaceEdit = {
    def inNew(old: String): Option[String] =
      Some(locationOf(plainPlace(to.name) + old.stripPrefix(place)))
    val changed: Map[NamespaceEntry, NamespaceEntry] = entries.collect {
      case table: Table if isOf(from)(table) => table -> table.copy(to.path, inNew(place))
      case table: Table if placeOf(table).exists(isWithin(_, place)) =>
        table -> table.copy(location = placeOf(table).flatMap(inNew))
    }.toMap
    val added = if (entries.exists(isOf(from))) Vector.empty else Vector(Table(to.path, inNew(place), None))
    NamespaceEdit(entries.filter(isOf(to)).toSet, changed, added)
  }

  /** Drops a namespace with its contents, and deletes its tables, except those with names elsewhere. */
  def dropWhole(namespace: Vector[String]): Unit = {
    var doomed = Vector.empty[(Vector[String], String)]
    var kept = Vector.empty[NamespaceEntry]
    manifest.change { entries =>
      val (all, others) = entries.partition(e => isNamespace(namespace)(e) || isIn(namespace)(e))
      kept = others
      doomed = all.flatMap(entry => placeOf(entry).map(entry.path -> _))
      NamespaceEdit(removed = all.toSet)
    }
    doomed.foreach { case (path, place) => remove(path, place, kept) }
  }

  // ---- entries of __manifest

  private def find(table: TableName, entries: => Vector[NamespaceEntry]): Option[FoundTable] = {
    val plainly = if (table.namespace.isEmpty) plain(table.name) else None
    plainly match {
      case Some(made: Made) => Some(made)
      case other => entered(table, entries).orElse(other)
    }
  }

  /** Looks a table up in the entries, if the directory does not have it. */
  private def entered(table: TableName, entries: Vector[NamespaceEntry]): Option[FoundTable] =
    entries.filter(_.path == table.path).collect {
      case one: Table if !isTopLevel(one) => one
      case foreign: Foreign => foreign
    } match {
      case Vector() => None
      case Vector(one: Table) =>
        Some(one.place.fold(why => Unusable(bad(table, why)), location => state(at(location))))
      case Vector(Foreign(_, kind)) => Some(Unusable(unknown(table, kind)))
      case several => Some(Unusable(bad(table, s"is there ${several.size} times")))
    }

  private def isOf(table: TableName)(entry: NamespaceEntry): Boolean = entry match {
    case Table(path, _, _) => path == table.path
    case _: Namespace | _: Foreign => false
  }

  private def placeOf(entry: NamespaceEntry): Option[String] = entry match {
    case table: Table => table.place.toOption.map(at)
    case _: Namespace | _: Foreign => None
  }

  /** Whether the directory has the table, too. */
  private def isTopLevel(table: Table): Boolean =
    table.path.length == 1 && table.place.contains(table.path.last + Suffix)

  // ---- tables in the directory

  /** Looks up a table without a namespace, unless it was deregistered. */
  private def plain(name: String): Option[FoundTable] = {
    val files = store.list(plainPlace(name)).map(_.name).toSet
    if (files(Deregistered)) None
    else
      state(plainPlace(name)) match {
        case Declared(_) if !files(Reserved) => None
        case state => Some(state)
      }
  }

  private def state(place: String): FoundTable =
    if (Dataset.exists(store, place)) Made(PlacedTable(place)) else Declared(PlacedTable(place))

  private def isHidden(name: String): Boolean = store.exists(StorePath.join(plainPlace(name), Deregistered))

  private def at(location: String): String = StorePath.join(root, location)

  private def locationOf(place: String): String = place.stripPrefix(StorePath.join(root, ""))

  private def plainPlace(name: String): String = at(name + Suffix)

  private def isWithin(inner: String, outer: String): Boolean = s"$inner/".startsWith(s"$outer/")

  // ---- refusals

  private def refuseHidden(table: TableName): Unit = if (isHidden(table.name)) throw new LanceUsageException(
    s"${plainPlace(table.name)} has a table that was deregistered from the directory, so none can be " +
      "created there. Delete it, or choose another name."
  )

  private def refuseForeign(table: TableName, entries: Vector[NamespaceEntry]): Unit = entries.foreach {
    case Foreign(path, kind) if path == table.path => throw unknown(table, kind)
    case _ => ()
  }

  private def unknown(table: TableName, kind: String) = new UnsupportedLanceFeatureException(
    s"'$table', an object of type '$kind' in a list of tables,",
    Location(file = Some(manifest.root))
  )

  private def bad(table: TableName, what: String) = new LanceFormatException(
    s"the row of '$table' in the list of tables $what; DROP TABLE removes the row, and deletes no file",
    Location(file = Some(manifest.root))
  )

  private def lost(table: TableName) = new RetryableCommitConflictException(
    s"In $root there is a table '$table' already: another writer came first. Nothing was committed; write again to append to it or " +
      "overwrite it, or choose another name."
  )

  private def missing(table: TableName) = new LanceUsageException(
    s"In $root there is no table '$table'. SHOW TABLES lists the existing ones."
  )

  private def outside(table: TableName, location: String) = new LanceUsageException(
    s"The table '$table' cannot be registered at $location: the catalog's tables lie in its directory, $root. Move the table there, or " +
      "use it by its path."
  )

  private def nothingAt(table: TableName, place: String) = new LanceUsageException(
    s"The table '$table' cannot be registered: there is no Lance table at $place. Give the location of one in $root."
  )

  private def crossing(from: TableName, to: TableName) = new LanceUsageException(
    s"'$from' cannot become '$to': tables without a namespace have other directories than those in one. " +
      "Copy it with CREATE TABLE … AS SELECT, and drop the old one."
  )
}

private[sparklance] object TableDirectory {
  private val Suffix = ".lance"
  private val Reserved = ".lance-reserved"
  private val Deregistered = ".lance-deregistered"

  /** Not empty, because some stores drop empty files. */
  private val Marker: Array[Byte] = "deregistered".getBytes

  /** pylance's number of concurrent requests. */
  private val RequestsAtATime = 16
}
