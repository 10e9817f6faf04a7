package io.sparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.Identifier

import io.sparklance.dataset.Dataset
import io.sparklance.namespace.{FoundTable, NewTable, TableName}
import io.sparklance.spark.options.{StatementContext, StoreOptions}
import io.sparklance.spark.session.TableLocation
import io.sparklance.{
  LanceException,
  LanceTableNotFoundException,
  LanceUsageException,
  RetryableCommitConflictException
}

/** The location that an identifier of the catalog resolves to. */
sealed private[spark] trait TablePlace {

  /** Name as users write it. */
  def name: String

  /** The existing state at this location, if any. */
  def state: Option[TablePlace.State]

  /** Location of the table, if it exists. */
  def found: Option[TableLocation] = state.flatMap {
    case TablePlace.There(location, _) => Some(location)
    case TablePlace.Taken(_) => None
  }

  /** Location for a new table, and the steps around its creation. */
  def fresh: (TableLocation, CatalogHook)
}

private[spark] object TablePlace {

  sealed trait State

  /** @param properties those that a catalog's server keeps */
  final case class There(location: TableLocation, properties: Map[String, String]) extends State

  /** A name in use by something that is not a table.
    *
    * @param why
    *   error for statements that need a table
    */
  final case class Taken(why: LanceException) extends State

  /** A path instead of a name. */
  final case class AtPath(name: String, location: TableLocation) extends TablePlace {
    def state: Option[State] =
      Option.when(Dataset.exists(location.store, location.root))(There(location, Map.empty))
    def fresh: (TableLocation, CatalogHook) = (location, CatalogHook.Idle)
  }

  /** A name in a catalog. */
  final case class Named(name: String, tables: CatalogTables, table: TableName) extends TablePlace {

    def state: Option[State] = tables.names.find(table).map {
      case FoundTable.Made(place) => There(tables.locate(table, place), TableRequest.own(place.properties))
      case FoundTable.Declared(place) => Taken(declared(place.root))
      case FoundTable.Unusable(failure) => Taken(failure)
    }

    private def declared(place: String) = new LanceTableNotFoundException(
      s"$name has no version at $place: it was only declared, or its files are gone. Create it with " +
        "CREATE OR REPLACE TABLE, or remove its name with DROP TABLE."
    )

    def fresh: (TableLocation, CatalogHook) = {
      val made = tables.names.place(table)
      val entry = new Entry(tables, table, made)
      try (tables.locate(table, made.place), entry)
      catch {
        case e: Throwable =>
          entry.release()
          throw e
      }
    }
  }

  /** Registers a new table in the catalog. */
  final private class Entry(tables: CatalogTables, table: TableName, made: NewTable) extends CatalogHook {
    def settle(): Unit =
      try tables.names.enter(table, made)
      catch {
        // Another statement created the table first, so ours has a directory that nothing refers to.
        case e @ (_: LanceUsageException | _: RetryableCommitConflictException) =>
          undo()
          throw e
      }
    def undo(): Unit = tables.names.clear(table, made)
    override def release(): Unit = tables.names.release(table, made)
  }

  /** Returns the path that an identifier is, unchecked. */
  def ofPath(ident: Identifier): Option[String] =
    Option.when(PathTimeTravel.isNoPlace(ident.namespace) && ident.name.contains('/'))(ident.name)

  def location(path: String, options: StoreOptions): TableLocation =
    StatementContext.storeOptions(path).over(options).locate(path)
}
