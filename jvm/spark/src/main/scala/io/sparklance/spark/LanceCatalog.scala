package io.sparklance.spark

import java.util.{Map => JMap, Set => JSet}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{NoSuchTableException, TableAlreadyExistsException}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.connector.catalog.{
  Column,
  Identifier,
  StagedTable,
  Table,
  TableCatalog,
  TableCatalogCapability,
  TableChange
}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.dataset.{Dataset, Reference}
import io.sparklance.namespace.TableName
import io.sparklance.spark.catalog._
import io.sparklance.spark.changes.ChangelogCatalog
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.functions.Functions
import io.sparklance.spark.history.Making
import io.sparklance.spark.options.{PeerNames, StatementContext}
import io.sparklance.spark.procedures.{Procedures, TableRegistry}
import io.sparklance.spark.session.{LanceCatalogs, SqlNames}
import io.sparklance.spark.table.WritableLanceTable

/** A catalog of the tables and namespaces in the directory given by option `warehouse`, or behind the server
  * of option `uri`. The catalog named `lance` also resolves tables by their path, ``lance.`/data/flights` ``.
  * CREATE and REPLACE are atomic.
  */
final class LanceCatalog extends StagedCreation with CatalogNamespaces with Procedures.InCatalog
    with TableRegistry with Functions.InCatalog with ChangelogCatalog {
  private var catalogName = "lance"
  private var options = CatalogOptions.none

  override def initialize(name: String, settings: CaseInsensitiveStringMap): Unit = translating {
    catalogName = name
    options = CatalogOptions.of(name, settings)
  }
  override def name(): String = catalogName
  override def capabilities(): JSet[TableCatalogCapability] = TableRequest.capabilities

  // ---- loading

  override def loadTable(ident: Identifier): Table = translating {
    ident match {
      case StatementContext.RegisteredTable(table) => table
      case StatementContext.MergeTarget(path, rows) if hasPaths =>
        OpenedVersions.merging(
          nameOf(Identifier.of(Array.empty, path)),
          TablePlace.location(path, options.store),
          rows
        )
      case _ => load(ident, Reference.latest)
    }
  }

  override def loadTable(ident: Identifier, version: String): Table = translating {
    load(ident, Reference.parse(version))
  }

  override def loadTable(ident: Identifier, timestamp: Long): Table = translating {
    load(ident, OpenedVersions.asOf(timestamp))
  }

  /** Resolves an identifier. A table with exactly this name takes precedence over a suffix such as
    * `t.versions`.
    */
  private def load(ident: Identifier, reference: Reference): Table = {
    def suffixed(whole: Identifier) = SuffixedTable.of(whole, nameOf(whole), reference)(find)
    find(ident, reference).orElse(suffixed(ident)).orElse(inCurrent(ident).flatMap(suffixed)).getOrElse {
      val names = tables.getOrElse(throw noRoot(ident)).names
      // Names of branches may contain slashes.
      val asTable = if (SuffixedTable.isCandidate(ident)) ident.namespace else ident.namespace :+ ident.name
      asTable.foreach(names.check)
      throw new NoSuchTableException(ident)
    }
  }

  /** Returns the table with exactly this name. */
  private def find(ident: Identifier, reference: Reference): Option[Table] = place(ident).flatMap {
    case TablePlace.AtPath(name, location) => Some(OpenedVersions.of(name, location, reference))
    case named: TablePlace.Named if !named.tables.names.isValid(named.table) => None
    case named: TablePlace.Named => named.state.map {
        case TablePlace.There(location, properties) =>
          OpenedVersions.of(named.name, location, reference, properties ++ LanceCatalog.placed)
        case TablePlace.Taken(why) => new TakenName(named.name, why)
      }
  }

  /** Adds the current namespace to `t.versions`. Spark does not, because `t` could be a namespace. */
  private def inCurrent(ident: Identifier): Option[Identifier] = {
    val current = SparkSession.active.catalog
    Option.when(ident.namespace.length == 1 && current.currentCatalog() == catalogName) {
      val namespace = CatalystSqlParser.parseMultipartIdentifier(current.currentDatabase)
      Identifier.of(namespace.toArray ++ ident.namespace, ident.name)
    }
  }

  override def tableExists(ident: Identifier): Boolean = translating {
    place(ident).exists(_.state.isDefined)
  }

  override def listTables(namespace: Array[String]): Array[Identifier] = translating {
    requireNamespace(namespace)
    tables.fold(Array.empty[Identifier])(
      _.names.tables(placed(namespace).toVector).map(Identifier.of(namespace, _)).toArray
    )
  }

  // ---- creating

  override def createTable(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: JMap[String, String]
  ): Table = translating {
    val staged = stageCreate(ident, columns, partitions, properties)
    // Spark knows this exception: IF NOT EXISTS then does nothing.
    RacedCreation.ifLost(_ => throw new TableAlreadyExistsException(ident))(commit(staged))
    loadTable(ident)
  }

  override def stageCreate(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: JMap[String, String]
  ): StagedTable = translating {
    val request = requested(ident, columns, partitions, properties)
    if (placeOf(ident).state.isDefined) throw new TableAlreadyExistsException(ident)
    staged(ident, request)
  }

  override protected def stage(
      making: Making,
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: JMap[String, String]
  ): StagedTable = {
    val request = requested(ident, columns, partitions, properties)
    placeOf(ident).found.fold(staged(ident, request, making)) { location =>
      val replaced = Dataset.open(location.store, location.root, None)
      val settings = OwnProperties.replacing(replaced, request)
      new StagedLanceTable(
        nameOf(ident),
        location,
        request,
        Some(replaced),
        settings = settings,
        making = making
      )
    }
  }

  private def staged(
      ident: Identifier,
      request: TableRequest,
      making: Making = Making.Create
  ): StagedTable = {
    val place = placeOf(ident)
    requireNamespace(ident.namespace)
    val (location, hook) = ServerRefusals.ofTable(catalogName, ident)(place.fresh)
    try Dataset.checkVacant(location.store, location.root)
    catch {
      case e: Throwable =>
        hook.release()
        throw e
    }
    new StagedLanceTable(nameOf(ident), location, request, None, hook, OwnProperties.ofNew(request), making)
  }

  private def requested(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: JMap[String, String]
  ): TableRequest = {
    val request = TableRequest.of(columns, partitions, PeerNames.properties(properties))
    request.location.foreach(other => throw noLocation(ident, other))
    request
  }

  // ---- changing

  override def alterTable(ident: Identifier, changes: TableChange*): Table = translating {
    newLocations(changes).foreach(other => throw noLocation(ident, other))
    loadTable(ident) match {
      case table: WritableLanceTable => AlterTable(table.location, changes.map(PeerNames.change))
      case taken: TakenName => throw taken.failure
      case other =>
        throw new LanceUsageException(s"${other.name} cannot be altered: it is not a writable Lance " +
          "table. Alter the latest version of the table itself.")
    }
    loadTable(ident)
  }

  override def dropTable(ident: Identifier): Boolean = translating {
    placeOf(ident) match {
      case TablePlace.AtPath(name, _) => throw new LanceUsageException(
          s"$name is a path, so no catalog has an entry to drop. Delete the directory."
        )
      case named: TablePlace.Named => named.tables.names.drop(named.table)
    }
  }

  /** Drops the table. Dropped tables are not kept, so there is nothing else to purge. */
  override def purgeTable(ident: Identifier): Boolean = dropTable(ident)

  override def renameTable(from: Identifier, to: Identifier): Unit = translating {
    (placeOf(from), placeOf(NewName.of(this, from, to))) match {
      case (named: TablePlace.Named, target: TablePlace.Named) =>
        if (named.state.isEmpty) throw new NoSuchTableException(from)
        if (target.state.isDefined) throw new TableAlreadyExistsException(to)
        ServerRefusals.ofTable(catalogName, from)(named.tables.names.rename(named.table, target.table))
      case (from, _) => throw new LanceUsageException(
          s"${from.name} cannot be renamed: one of the two names is a path, which no catalog records. " +
            "Move the directory."
        )
    }
  }

  override def register(ident: Identifier, location: String): String =
    onName(ident) { named =>
      requireNamespace(ident.namespace)
      if (named.state.isDefined) throw new TableAlreadyExistsException(ident)
      named.tables.register(named.table, location).root
    }

  override def deregister(ident: Identifier): Option[String] =
    onName(ident)(named => named.tables.names.deregister(named.table))

  private def onName[A](ident: Identifier)(body: TablePlace.Named => A): A = placeOf(ident) match {
    case named: TablePlace.Named => ServerRefusals.ofTable(catalogName, ident)(body(named))
    case TablePlace.AtPath(_, _) => throw noRoot(ident)
  }

  // ---- names and places

  /** Returns None if the identifier is no path and the catalog has no warehouse. */
  private def place(ident: Identifier): Option[TablePlace] =
    pathOf(ident).map { path =>
      TablePlace.AtPath(nameOf(ident), TablePlace.location(path, options.store))
    }.orElse(tables.map { of =>
      TablePlace.Named(nameOf(ident), of, TableName(placed(ident.namespace).toVector, ident.name))
    })

  private def placeOf(ident: Identifier): TablePlace = place(ident).getOrElse(throw noRoot(ident))

  /** Returns the path that an identifier names. Only the catalog `lance` resolves paths: in other catalogs
    * they would lead out of the warehouse.
    */
  private def pathOf(ident: Identifier): Option[String] =
    if (hasPaths) TablePlace.ofPath(ident) else None

  private def hasPaths: Boolean = catalogName == LanceCatalogs.Format

  override protected def tables: Option[CatalogTables] = options.tables

  private def nameOf(ident: Identifier): String =
    if (pathOf(ident).isDefined) s"$catalogName.`${ident.name}`"
    else (catalogName +: ident.namespace.toVector :+ ident.name).map(LanceCatalog.quoted).mkString(".")

  private def noLocation(ident: Identifier, other: String) = new LanceUsageException(
    s"${nameOf(ident)} determines the location by its name, so LOCATION '$other' has no meaning. Leave " +
      "it out."
  )

  private def noRoot(ident: Identifier) = {
    val asked = (ident.namespace :+ ident.name).mkString(".")
    val problem =
      if (hasPaths) s"'$asked' is not a path, and the catalog '$catalogName' resolves tables by their " +
        "paths only"
      else s"The catalog '$catalogName' has no directory of tables, so it cannot have '$asked'"
    new LanceUsageException(
      s"$problem. Write lance.`/directory/of/the/table`, or give the catalog a directory of tables: " +
        s"spark.sql.catalog.$catalogName.warehouse. Named tables are also in spark_catalog: CREATE TABLE " +
        "… USING lance."
    )
  }
}

private[spark] object LanceCatalog {

  /** Keeps Spark from showing a LOCATION: the catalog derives a named table's location from its name. */
  private val placed = Map(TableCatalog.PROP_IS_MANAGED_LOCATION -> "true")

  private val Plain = "[A-Za-z_][A-Za-z0-9_]*".r

  /** Quotes a part of a name if SQL requires it. */
  def quoted(part: String): String = part match {
    case Plain() => part
    case other => SqlNames.quoted(other)
  }
}
